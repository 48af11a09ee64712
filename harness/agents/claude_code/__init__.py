"""Run the real product: install it, start it without a network, use a scripted model instead of its model, and return
the answers of its tools.
"""
