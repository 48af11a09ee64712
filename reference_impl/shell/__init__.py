"""Find the lines of files that a command shows, and the files that it changes. The program that opened the session runs
the command itself.
"""
