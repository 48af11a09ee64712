"""What the tests of targets share: an empty workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.session import Workspace
from readfirst.harness.workspace.site import SitePool


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with SitePool() as place, place.site() as site:
        yield Workspace(root=Path(site.root), home=Path(site.home))
