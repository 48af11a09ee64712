"""Record the answers of the real product, check that they are stable, and write them into the suite."""
