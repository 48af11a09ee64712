"""Statements of documents about the product, compared with its recorded behaviour."""
