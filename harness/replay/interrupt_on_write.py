"""Detect the moment when a call starts to write a file, to interrupt the call at this moment."""

from __future__ import annotations

import ctypes
import os
import select
import threading
from collections.abc import Callable
from signal import SIGKILL

from readfirst.harness.adapter_api import NO_ANSWER, TIME_LIMIT, AdapterError, ToolResult, UnsupportedCall

_IN_MODIFY, _IN_CREATE = 0x2, 0x100
_IN_CLOEXEC, _IN_NONBLOCK = 0o2000000, 0o4000
ANSWER_TIMEOUT_S = 5.0
"""Maximum seconds for the answer of a program that survived a signal. If the answer is late, the program is killed."""


class WriteWatcher:
    """Context manager that waits for a write of a file in `directory`. Raises UnsupportedCall except on Linux."""

    def __init__(self, directory: str) -> None:
        self._changes_fd = _watch(directory)
        self._end_fd, self._block_fd = os.pipe()
        self.was_written = False
        self._has_ended = False
        self._wait_lock = threading.Lock()

    def wait(self) -> None:
        """Wait until a file is created or written (`was_written`), the `with` block ends, or TIME_LIMIT is over."""
        with self._wait_lock:
            if not self._has_ended:
                ready, _, _ = select.select([self._changes_fd, self._end_fd], [], [], TIME_LIMIT)
                self.was_written = self._changes_fd in ready

    def __enter__(self) -> WriteWatcher:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._block_fd)
        with self._wait_lock:
            self._has_ended = True
            os.close(self._end_fd)
            os.close(self._changes_fd)


def kill_when_writing(
    directory: str, call: Callable[[], ToolResult], kill: Callable[..., bool]
) -> ToolResult:
    """Make a call, and send a signal to its program as soon as a file in `directory` is created or written, or else
    after the call. Return the answer, or NO_ANSWER if the program has exited. `kill` sends the signal, and returns
    whether the program has exited. A program that neither exits nor answers is killed. Raises UnsupportedCall except on
    Linux.
    """
    has_exited, has_answered = threading.Event(), threading.Event()
    with WriteWatcher(directory) as watch:

        def kill_after_write() -> None:
            watch.wait()
            if watch.was_written and (kill() or (not has_answered.wait(ANSWER_TIMEOUT_S) and kill(SIGKILL))):
                has_exited.set()

        killer = threading.Thread(target=kill_after_write, daemon=True)
        killer.start()
        try:
            answer = call()
        except AdapterError:
            has_answered.set()
            # The call may fail much later than the kill on a busy machine.
            killer.join(TIME_LIMIT if watch.was_written else 1.0)
            if not has_exited.is_set():
                raise
            return NO_ANSWER
    has_answered.set()
    killer.join()
    if has_exited.is_set():  # the call ended first
        return NO_ANSWER
    if not watch.was_written:
        kill()
    return answer


def _watch(folder: str) -> int:
    """Return a descriptor that becomes readable as soon as a file in the directory is created or written."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        raise UnsupportedCall("immediate notifications of file writes, which only Linux supports")
    watch: int = libc.inotify_init1(_IN_CLOEXEC | _IN_NONBLOCK)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(folder), _IN_MODIFY | _IN_CREATE) < 0:
        raise UnsupportedCall(
            f"immediate notifications of file writes by inotify ({os.strerror(ctypes.get_errno())})"
        )
    return watch
