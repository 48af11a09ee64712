"""Compare the outcome of a scenario with the expected results and with the baseline of accepted failures."""
