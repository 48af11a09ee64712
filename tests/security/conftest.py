"""A fixture for tests of attacks: it makes the attackers in this directory importable."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """This directory. The fixture adds it to the import path of Python, also in other processes, so that
    `python:spoilers:NAME` can be imported.
    """
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(HERE)
    return HERE
