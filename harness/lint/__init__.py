"""Lint: everything that is wrong with a suite, one rule per id; `rules` has the table."""
