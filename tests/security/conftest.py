"""Shared fixtures of the tests of attacks: the directory of the attackers."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Add this directory to Python's path, also of other processes, so that `python:spoilers:NAME` is found."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(HERE)
    return HERE
