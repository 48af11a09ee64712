"""Run: many scenarios against one implementation, here or in worker processes."""
