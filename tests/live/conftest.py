"""Helpers for tests of real programs: environment variables that the programs must not see."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

CANARY = "READFIRST_CANARY"
"""An environment variable that is set while a real program runs. Tests assert that the program does not see it."""


@contextmanager
def variables_of_ours(**more: str) -> Iterator[None]:
    """Set secret environment variables that a program must not see, and restore the environment afterwards."""
    before = dict(os.environ)
    os.environ.update({CANARY: "secret", "ANTHROPIC_AUTH_TOKEN": "secret", **more})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
