"""A scripted model, which is used instead of the model of an agent: a server on the loopback interface, and the wire
formats of agents.
"""
