"""Find the lines of files that a command shows, and the files that it changes. Commands are run elsewhere."""
