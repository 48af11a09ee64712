"""One module per tool, with its rules in the order in which they apply."""
