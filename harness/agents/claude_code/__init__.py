"""The real product, offline: install it, start it without a network, play its model, hand back what it answers."""
