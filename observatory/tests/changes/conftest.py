"""Imports fixtures from the tests of the suite (tests/changes)."""

from tests.changes.conftest import run, small

__all__ = ["run", "small"]
