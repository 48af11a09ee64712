"""Compare: the outcome of a scenario against what is expected and what is known to fail."""
