"""Crossing: the dimensions of a call, and scenarios in which every rule meets every pair of their values."""
