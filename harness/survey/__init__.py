"""Survey: every published implementation, run and told of on one page."""
