"""A scripted model in place of an agent's: a server on the loopback interface, and the agents' wire formats."""
