"""A time limit for code of this process: an alarm that even a loop cannot outlive."""

from __future__ import annotations

import signal
import threading
from types import FrameType

from readfirst.harness.session import BrokenAdapter

_AGAIN = 0.05
"""Seconds until the alarm rings again, for code that catches everything."""


class _TimeIsUp(BaseException):
    """Not an Exception, so that `except Exception` in the interrupted code does not swallow it."""


class time_limit:  # noqa: N801 - it is used like a function; a class, because it is around every call
    """Raise BrokenAdapter out of the block when it takes longer than `seconds`. `what` is that in words.

    Works in the main thread only, because signals do; elsewhere the block runs without a limit. Code in C that
    does not return to the interpreter is not interrupted.
    """

    __slots__ = ("_former", "_limits", "_seconds", "_what")

    def __init__(self, seconds: float, what: str) -> None:
        self._seconds = seconds
        self._what = what

    def __enter__(self) -> None:
        self._limits = threading.current_thread() is threading.main_thread()
        if self._limits:
            self._former = signal.signal(signal.SIGALRM, _ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._limits:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._former)
        if kind is _TimeIsUp:
            raise BrokenAdapter(f"{self._what} took longer than {self._seconds:g} s") from None


def _ring(_number: int, frame: FrameType | None) -> None:
    # Not while the alarm is set or stopped, which must end: the block is over then, or it rings in the block again.
    if frame is None or frame.f_code not in (time_limit.__enter__.__code__, time_limit.__exit__.__code__):
        raise _TimeIsUp
