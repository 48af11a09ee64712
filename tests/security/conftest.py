from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """This directory. Processes can then import `python:spoilers:NAME` from it."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(HERE)
    return HERE
