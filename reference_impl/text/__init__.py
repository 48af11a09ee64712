"""Text: a file as text and lines, what Edit finds in it, and JSON; nothing here looks at the disk."""
