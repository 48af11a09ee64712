"""Command line: a module is imported when one of its commands is called.

What only one of several commands needs, that one imports: `list` must answer at once.
"""
