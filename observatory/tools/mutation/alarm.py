"""Limit the run time of a mutant, because a mutant may loop without end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLongError(BaseException):
    """A `with time_limit(...)` block took too long. The class is not derived from Exception, so that a replay, which
    catches exceptions of the mutant, does not catch it.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Used in a `with` statement. Raises TooLongError if the block takes longer than `seconds`. Works only in the main
    thread.
    """

    def ring(*_: object) -> None:
        raise TooLongError(f"it took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
