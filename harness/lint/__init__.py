"""Lint: the checks that find mistakes in a suite. docs/format.md lists them."""
