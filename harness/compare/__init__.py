"""Compare the outcome of a scenario with its expectations and with accepted failures."""
