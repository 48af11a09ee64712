"""Fuzz: generate scenarios, replay each on the reference and on a target, shrink what they disagree on."""
