"""Shell: what a command shows of files; the command itself is run by whoever opens the session."""
