"""Imports fixtures from the tests of the suite (tests/releases)."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.releases.conftest import npm, suite
from tests.releases.fake_registry import make_packages

from .registry_server import FakeRegistry

__all__ = ["npm", "suite"]


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeRegistry]]:
    """Starts a registry for the real npm. The argument maps published versions to behaviours. The cache is empty."""
    opened: list[FakeRegistry] = []

    def open_registry(versions: Mapping[str, str], scripts: frozenset[str] = frozenset()) -> FakeRegistry:
        made = FakeRegistry(make_packages(versions, scripts))
        opened.append(made)
        monkeypatch.setenv("npm_config_registry", made.url)
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return made

    yield open_registry
    for each in opened:
        each.close()
