"""Compare: what came of a scenario held against what is expected, and against what is known to fail."""
