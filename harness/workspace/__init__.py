"""Workspace: the directory that a scenario is played in: laid out, changed, looked at, cleared."""
