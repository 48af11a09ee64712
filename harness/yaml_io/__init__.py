"""Read YAML files strictly, with the position of every value for error messages, and write YAML files."""
