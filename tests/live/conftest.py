import os
from collections.abc import Iterator
from contextlib import contextmanager

CANARY = "READFIRST_CANARY"
"""An environment variable that a real program must not see."""


@contextmanager
def variables_of_ours(**more: str) -> Iterator[None]:
    """Set secret variables that a program must not see, and restore the environment afterwards."""
    before = dict(os.environ)
    os.environ.update({CANARY: "secret", "ANTHROPIC_AUTH_TOKEN": "secret", **more})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
