"""Run programs under supervision, optionally in a sandbox, with temporary directories that are always removed."""
