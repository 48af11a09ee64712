"""Lint: all checks of a suite. docs/format.md lists them."""
