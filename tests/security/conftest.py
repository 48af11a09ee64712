from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def slow(*values: Any) -> Any:
    """Return a row of a table that only the slow tests check."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.fixture
def attackers(monkeypatch: pytest.MonkeyPatch) -> Path:
    """This directory. Processes can then import `python:spoilers:NAME` from it."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(HERE)
    return HERE
