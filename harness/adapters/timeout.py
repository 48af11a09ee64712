"""Interrupt code in this process after a timeout, even if it catches exceptions."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

from readfirst.harness.adapter_api import BrokenAdapter

_AGAIN = 0.05
"""Seconds until the alarm is repeated, for code that catches everything."""
_MAIN_THREAD = threading.main_thread().ident


class _TimeIsUp(BaseException):
    """Not an Exception, so that `except Exception` in the interrupted code does not catch it."""


class TimeLimit:
    """Raises BrokenAdapter in a block that takes longer than `seconds`: `with limit.on("Edit"):`.

    The signal handler is installed from the first block until `close`, because installing it takes longer than
    most calls. Works only in the main thread, because signals do; in other threads the block has no limit. C
    code that does not return to the interpreter is not interrupted.
    """

    _listening = 0
    _former: Any = signal.SIG_DFL
    _running = False

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._what = ""
        self._listens = False

    def on(self, what: str) -> Self:
        """Set the description of the next block."""
        self._what = what
        return self

    def __enter__(self) -> None:
        if threading.get_ident() == _MAIN_THREAD:
            if not self._listens:
                self._listen()
            TimeLimit._running = True
            signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if threading.get_ident() == _MAIN_THREAD:
            TimeLimit._running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            if kind is _TimeIsUp:
                raise BrokenAdapter(f"{self._what} took longer than {self._seconds:g} s") from None

    def _listen(self) -> None:
        if not TimeLimit._listening:
            TimeLimit._former = signal.signal(signal.SIGALRM, self._ring)
        TimeLimit._listening += 1
        self._listens = True

    @staticmethod
    def _ring(_number: int, frame: FrameType | None) -> None:
        # Not while the alarm is set or stopped: the block is over then, or the alarm is repeated in the block.
        within = (TimeLimit.__enter__.__code__, TimeLimit.__exit__.__code__)
        if TimeLimit._running and (frame is None or frame.f_code not in within):
            raise _TimeIsUp

    def close(self) -> None:
        """Restore the previous signal handler."""
        if self._listens:
            self._listens = False
            TimeLimit._listening -= 1
            if not TimeLimit._listening:
                signal.signal(signal.SIGALRM, TimeLimit._former)
