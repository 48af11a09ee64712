"""Lint: everything that is wrong with a suite, one rule per id; docs/format.md has the table."""
