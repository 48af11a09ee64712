"""The workspace of a scenario: create it, change it, take snapshots, clear it."""
