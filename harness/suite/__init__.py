"""Suite: scenarios, contracts, rules and recordings, as frozen values, and the files that they are read from."""
