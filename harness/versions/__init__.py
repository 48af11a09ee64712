"""Versions: the changes in releases of the product, with dates."""
