"""Run the real product: install it, start it without a network and with a scripted model, and return its answers."""
