"""Settings: what a Claude Code settings file may hold."""
