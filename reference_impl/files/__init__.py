"""Files: the file system, and which of its files an ignore list means."""
