"""Read YAML files strictly with the position of every value, and write them."""
