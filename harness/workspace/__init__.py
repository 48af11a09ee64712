"""The workspace of a scenario: create its files, change them, take snapshots, and clear it."""
