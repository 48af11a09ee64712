"""Shared fixtures of the tests of attacks: the directory of the attackers."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let `python:spoilers:NAME` be found."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    return HERE
