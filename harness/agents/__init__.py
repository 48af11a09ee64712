"""A command-line agent, offline: start it without a network, play its model, hand back what its tools answer."""
