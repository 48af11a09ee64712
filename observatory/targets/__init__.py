"""Install, start and call published implementations, by name and version."""
