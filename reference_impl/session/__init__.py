"""Session: paths, permissions, files and memory that the rules of all tools share."""
