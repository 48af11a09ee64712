"""Answers of Read for images, documents and notebooks, and limits of Read."""
