"""Replay the calls of a scenario on an implementation and record the outcome."""
