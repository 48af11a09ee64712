"""Run the real product: install it, start it without a network and with a scripted model, return its answers."""
