"""Survey: every published implementation, run and described on one page."""
