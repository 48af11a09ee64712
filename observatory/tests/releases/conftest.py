"""Imports fixtures from the tests of the suite (tests/releases)."""

from tests.releases.conftest import npm, registry, suite

__all__ = ["npm", "registry", "suite"]
