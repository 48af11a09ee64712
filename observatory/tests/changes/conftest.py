"""Fixtures that these tests share with those of the suite."""

from tests.changes.conftest import run, small

__all__ = ["run", "small"]
