import ctypes
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Workspace
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


_CAPABILITY_VERSION = 0x20080522
_PASS_ALL_PERMISSIONS = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Make file permissions effective: this thread gives up root's capabilities that bypass them."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    capabilities = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, capabilities) == 0
    effective = capabilities[0]
    capabilities[0] = effective & ~_PASS_ALL_PERMISSIONS
    assert libc.capset(header, capabilities) == 0
    try:
        yield
    finally:
        capabilities[0] = effective
        assert libc.capset(header, capabilities) == 0


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
