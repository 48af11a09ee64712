"""Replay: a scenario's calls made to an implementation, and their outcome."""
