"""Published implementations by name and version: how each is installed, started and called."""
