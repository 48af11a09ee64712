"""Paths, permissions, files and memory that all tools share."""
