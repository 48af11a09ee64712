"""Record: what the real product did, taken, made the same from run to run, and written into the suite."""
