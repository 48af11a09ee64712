"""What the pages of the site are made from."""

from pathlib import Path

import pytest

from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.suite import Suite

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def facts() -> Facts:
    return Facts(Suite(CHECKOUT / "fixtures"), CHECKOUT / "docs")
