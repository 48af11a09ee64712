"""Versions: what the product's releases changed, and when."""
