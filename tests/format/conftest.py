"""Generated examples: the same in every run, without a clock, without a database on disk."""

from hypothesis import settings

settings.register_profile("format", deadline=None, derandomize=True, database=None)
settings.load_profile("format")
