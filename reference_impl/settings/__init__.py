"""The schema that is used to validate Claude Code settings files."""
