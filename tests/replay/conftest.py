"""What the tests of replaying share: a place, an unprivileged file system user, and the miniatures as a module."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.contracts import Contract
from harness.session import Workspace
from harness.vocabulary import Vocabulary, load_vocabulary
from harness.workspace import Place, Site

# The miniatures are imported here and, as `python:miniatures:...`, by child processes that start in this folder.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def place() -> Iterator[Place]:
    with Place() as place:
        yield place


@pytest.fixture
def site(place: Place) -> Iterator[Site]:
    with place.site() as site:
        yield site


@pytest.fixture
def contract() -> Contract:
    return Contract("2.1.7", "a-package", "2.1.7", "a-model", "enforced")


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return load_vocabulary(Path(__file__).parents[2] / "fixtures" / "errors.yaml")


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Let permissions count even for root: the file system user of this thread becomes nobody."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None)
    libc.setfsuid(65534)
    try:
        yield
    finally:
        libc.setfsuid(0)


@pytest.fixture
def workspace(site: Site) -> Workspace:
    return Workspace(root=Path(site.root), home=Path(site.home))
