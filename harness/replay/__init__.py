"""Replay: a scenario's calls, made of an implementation, and what came of them."""
