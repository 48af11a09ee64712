"""Run a command-line agent offline: without a network, with a scripted model, and return the answers of its tools."""
