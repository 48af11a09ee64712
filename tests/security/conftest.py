"""Shared fixtures of the tests of attacks: the directory of the attackers."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the current directory that of the attackers, so that `python:spoilers:NAME` is found."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    return HERE
