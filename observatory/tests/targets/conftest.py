"""Shared fixtures of the tests of targets: an empty workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Workspace
from readfirst.harness.workspace.workspace_dir import WorkspacePool


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with WorkspacePool() as place, place.site() as site:
        yield Workspace(root=Path(site.root), home=Path(site.home))
