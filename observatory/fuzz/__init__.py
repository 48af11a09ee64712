"""Generate scenarios, replay each on the reference and on a target, and shrink the differences."""
