"""Fixtures that these tests share with those of the suite."""

from tests.cli.conftest import driver, holding, make_suite, mixed, ruled

__all__ = ["driver", "holding", "make_suite", "mixed", "ruled"]
