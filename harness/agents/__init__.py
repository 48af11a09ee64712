"""Run a command-line agent without a network. A script takes the place of its model, and the answers of its tools are
returned.
"""
