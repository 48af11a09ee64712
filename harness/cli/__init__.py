"""The command line: `readfirst`, one module per group of commands."""
