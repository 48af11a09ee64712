"""Adapters, which connect implementations to the harness: one module per kind of connection."""
