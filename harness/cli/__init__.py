"""The command line. A command's module is imported when it is called, and imports its own dependencies inside
functions, so that `list` answers quickly.
"""
