"""Analysis of commands: the lines of files that they show. The opener of the session runs the command."""
