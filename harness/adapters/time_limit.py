"""A time limit for code of this process: an alarm that even a loop cannot outlive."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from readfirst.harness.session import BrokenAdapter

__all__ = ["time_limit"]

_AGAIN = 0.05
"""Seconds until the alarm rings again, for code that catches everything."""


class _TimeIsUp(BaseException):
    """Not an Exception, so that `except Exception` in the interrupted code does not swallow it."""


@contextmanager
def time_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise BrokenAdapter out of the block when it takes longer than `seconds`.

    Works in the main thread only, because signals do; elsewhere the block runs without a limit. Code in C that
    does not return to the interpreter is not interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    except _TimeIsUp:
        raise BrokenAdapter(f"{what} took longer than {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise _TimeIsUp
