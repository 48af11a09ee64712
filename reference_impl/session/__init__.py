"""Paths, permissions, files and memory of a session, which all tools use."""
