"""Generated examples: the same in every run, without a clock, without a database on disk."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("format", deadline=None, derandomize=True, database=None)
settings.load_profile("format")
