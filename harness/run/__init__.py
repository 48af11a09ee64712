"""Run many scenarios against one implementation, in this process or in worker processes."""
