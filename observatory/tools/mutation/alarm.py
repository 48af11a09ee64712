"""Limit the run time of a mutant, because a mutant may loop without end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLongError(BaseException):
    """A time limit has passed. Not derived from Exception, because a replay catches the exceptions of a mutant."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooLongError if the block takes longer than `seconds`. Works only in the main thread."""

    def ring(*_: object) -> None:
        raise TooLongError(f"it took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
