"""The command line. The module of a command is imported only when the command is called.

A command imports its own dependencies inside its function, so that `list` answers quickly.
"""
