"""Versions of the product: what they changed, and in which version."""
