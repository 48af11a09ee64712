"""Fixtures with the data of the site's pages."""

from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.site.site_data import SiteData

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def facts() -> SiteData:
    return SiteData(Suite(CHECKOUT / "fixtures"), CHECKOUT / "docs")
