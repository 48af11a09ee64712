"""Imports fixtures from the tests of the suite (tests/cli)."""

from tests.cli.conftest import driver, holding, make_suite, mixed, ruled

__all__ = ["driver", "holding", "make_suite", "mixed", "ruled"]
