"""Imports the fixtures that the tests of the observatory share with those of the suite (tests/conftest.py)."""

from tests.conftest import in_process, place, readfirst, suite, trusted_suites

__all__ = ["in_process", "place", "readfirst", "suite", "trusted_suites"]
