"""Detect the moment when a call starts to write, to interrupt it then."""

from __future__ import annotations

import ctypes
import os
import select
import threading
from collections.abc import Callable
from signal import SIGKILL
from types import TracebackType

from readfirst.harness.adapter_api import NO_ANSWER, TIME_LIMIT, AdapterError, ToolResult, UnsupportedCall

_IN_MODIFY, _IN_CREATE = 0x2, 0x100
_IN_CLOEXEC, _IN_NONBLOCK = 0o2000000, 0o4000
HANGS = 5.0
"""Seconds that a program which survived a signal may take to answer its call. After that it is killed."""


class WriteWatcher:
    """Watches `folder` until the end of its `with` block, for files that are created or written.

    Raises UnsupportedCall if the system does not report changes immediately: it needs Linux.
    """

    def __init__(self, folder: str) -> None:
        self._changes = _watch(folder)
        self._over, self._done = os.pipe()
        self.written = False
        self._ended = False
        self._waiting = threading.Lock()

    def wait(self) -> None:
        """Wait for a created or written file (then `written` is True), the end of the block, or a call's time limit."""
        with self._waiting:
            if not self._ended:
                ready, _, _ = select.select([self._changes, self._over], [], [], TIME_LIMIT)
                self.written = self._changes in ready

    def __enter__(self) -> WriteWatcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._done)
        with self._waiting:
            self._ended = True
            os.close(self._over)
            os.close(self._changes)


def killed_when_writing(folder: str, call: Callable[[], ToolResult], kill: Callable[..., bool]) -> ToolResult:
    """Make a call, send a signal to its program as soon as a file in `folder` is created or written, and return the
    answer.

    `kill` sends the signal, and returns whether the program has exited. If the program has not exited and does not
    answer either, it is killed by `SIGKILL`. If it has exited, NO_ANSWER is returned. If the call wrote no file, the
    signal is sent after the call. Raises UnsupportedCall like WriteWatcher.
    """
    ended, over = threading.Event(), threading.Event()
    with WriteWatcher(folder) as watch:

        def wait() -> None:
            watch.wait()
            if watch.written and (kill() or (not over.wait(HANGS) and kill(SIGKILL))):
                ended.set()

        watcher = threading.Thread(target=wait, daemon=True)
        watcher.start()
        try:
            answer = call()
        except AdapterError:
            over.set()
            # The call may fail much later than the kill on a busy machine.
            watcher.join(TIME_LIMIT if watch.written else 1.0)
            if not ended.is_set():
                raise
            return NO_ANSWER
    over.set()
    watcher.join()
    if ended.is_set():  # the call ended first
        return NO_ANSWER
    if not watch.written:
        kill()
    return answer


def _watch(folder: str) -> int:
    """Return a file descriptor that becomes readable as soon as a file in a directory is created or written."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        raise UnsupportedCall("immediate notice of written files, which only Linux gives")
    watch: int = libc.inotify_init1(_IN_CLOEXEC | _IN_NONBLOCK)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(folder), _IN_MODIFY | _IN_CREATE) < 0:
        raise UnsupportedCall(
            f"immediate notice of written files, from inotify ({os.strerror(ctypes.get_errno())})"
        )
    return watch
