"""Fixtures that these tests share with those of the suite."""

from tests.releases.conftest import npm, registry, suite

__all__ = ["npm", "registry", "suite"]
