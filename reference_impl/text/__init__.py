"""Functions for the text and lines of a file, the search for text in Edit, and JSON. None accesses the disk."""
