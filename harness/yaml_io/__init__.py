"""Source: YAML files read strictly and written back, with the place of everything in them."""
