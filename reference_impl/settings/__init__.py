"""The schema of Claude Code settings files."""
