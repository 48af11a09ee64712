"""Versions of the product and their changes."""
