"""One module per tool, with its rules in the order of their application."""
