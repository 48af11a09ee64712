"""Settings of hypothesis: every run uses the same examples, without a time limit and without a database on disk."""

from hypothesis import settings

settings.register_profile("format", deadline=None, derandomize=True, database=None)
settings.load_profile("format")
