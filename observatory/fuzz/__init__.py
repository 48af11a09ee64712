"""Generate scenarios, replay each on the reference and on a target, and shrink those with different results."""
