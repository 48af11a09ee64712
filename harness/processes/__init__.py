"""Processes: programs under supervision, confined where asked, with temporary folders that are always removed."""
