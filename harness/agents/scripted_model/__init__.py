"""A model whose answers the harness decides: a server on the loopback interface, and the wire formats of agents."""
