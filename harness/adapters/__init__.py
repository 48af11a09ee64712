"""What connects an implementation to the harness, one module per kind of connection."""
