import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Workspace
from readfirst.harness.processes.linux_capabilities import as_an_ordinary_user
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

# Child processes import implementations such as `python:miniatures:Honest` from this directory.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def place() -> Iterator[WorkspacePool]:
    with WorkspacePool() as place:
        yield place


@pytest.fixture
def site(place: WorkspacePool) -> Iterator[WorkspaceDir]:
    with place.site() as site:
        yield site


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Make file permissions effective: this thread gives up root's capabilities that bypass them."""
    with as_an_ordinary_user():
        yield


@pytest.fixture
def shallow() -> Iterator[None]:
    """Limit the recursion of Python, so that a tree with few levels is already too deep."""
    former = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        yield
    finally:
        sys.setrecursionlimit(former)


@pytest.fixture
def workspace(site: WorkspaceDir) -> Workspace:
    return Workspace(root=Path(site.root), home=Path(site.home))
