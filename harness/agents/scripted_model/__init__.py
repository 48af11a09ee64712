"""A model whose every answer the harness decides: a server on loopback, and the wire formats that agents speak."""
