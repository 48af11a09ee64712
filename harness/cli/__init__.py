"""Command line: at its top a module imports what all of its commands need, the rest where it is needed.

`list` must answer at once.
"""
