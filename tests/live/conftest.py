"""What tests of real programs share: variables that must not reach them, and a place to replay in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from readfirst.harness.workspace.site import SitePool

CANARY = "READFIRST_CANARY"


@contextmanager
def variables_of_ours(**more: str) -> Iterator[None]:
    """Set variables that a program must not see, the canary among them; as before afterwards."""
    before = dict(os.environ)
    os.environ.update({CANARY: "secret", "ANTHROPIC_AUTH_TOKEN": "secret", **more})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="module")
def place() -> Iterator[SitePool]:
    with SitePool() as place:
        yield place
