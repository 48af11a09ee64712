"""Wire formats of other agents' models."""
