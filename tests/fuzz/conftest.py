"""Makes the wrong implementations importable and offers the bundled suite and a place to replay in."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

sys.path.insert(0, str(Path(__file__).parents[1] / "wrong_implementations"))


@pytest.fixture(scope="session")
def suite() -> Suite:
    return Suite()


@pytest.fixture
def place() -> Iterator[SitePool]:
    with SitePool() as place:
        yield place
