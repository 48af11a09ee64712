"""The file system, and ignore lists."""
