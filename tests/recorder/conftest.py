from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from tests.small_suites import small_suite

from .made_up import GATE, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty suite with the contracts and error names of the bundled suite."""
    root = tmp_path / "fixtures"
    small_suite(root)
    for name in ("scenarios/gate", "recordings"):
        (root / name).mkdir()
    return root


@pytest.fixture
def suite(root: Path) -> Suite:
    """A suite with one scenario, `gate/x`, which has no recording."""
    write(root, GATE)
    return Suite(root)
