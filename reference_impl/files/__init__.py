"""Access to the file system, and ignore lists."""
