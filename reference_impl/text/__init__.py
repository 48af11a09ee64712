"""Text and lines of a file, matching for Edit, and JSON. No module here accesses the disk."""
