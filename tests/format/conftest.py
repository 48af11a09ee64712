"""Settings of hypothesis: the same examples in every run, without a time limit and a database on disk."""

from hypothesis import settings

settings.register_profile("format", deadline=None, derandomize=True, database=None)
settings.load_profile("format")
