"""A suite of one's own for every test of recording."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import default_root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite without scenarios, with the real contracts and error names."""
    root = tmp_path / "fixtures"
    (root / "scenarios" / "gate").mkdir(parents=True)
    (root / "recordings").mkdir()
    for name in ("contracts.yaml", "errors.yaml"):
        shutil.copy(default_root() / name, root / name)
    return root
