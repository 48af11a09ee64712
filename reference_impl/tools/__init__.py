"""Tools: one module for each, with its rules in the order in which they apply."""
