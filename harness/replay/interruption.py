"""Interruption: a call whose program is killed while it writes."""

from __future__ import annotations

import ctypes
import os
import select
import threading
from collections.abc import Callable

from readfirst.harness.session import NO_ANSWER, BrokenAdapter, ToolResult, UnsupportedCall

__all__ = ["killed_when_writing"]

_IN_MODIFY, _IN_CREATE = 0x2, 0x100
_IN_CLOEXEC, _IN_NONBLOCK = 0o2000000, 0o4000


def killed_when_writing(folder: str, call: Callable[[], ToolResult], kill: Callable[[], None]) -> ToolResult:
    """Make a call, and kill its program as soon as a file in `folder` is made or written.

    Return NO_ANSWER, or the answer where nothing was written; the program is killed in any case. Raises UnsupportedCall
    where the system does not tell of changes at once: it takes Linux.
    """
    watch = _watch(folder)
    over, done = os.pipe()
    written = threading.Event()

    def wait() -> None:
        ready, _, _ = select.select([watch, over], [], [])
        if watch in ready:
            kill()
            written.set()

    watcher = threading.Thread(target=wait, daemon=True)
    watcher.start()
    try:
        answer = call()
    except BrokenAdapter:
        watcher.join(1.0)  # the kill is not over before the call has failed of it
        if not written.is_set():
            raise
        return NO_ANSWER
    finally:
        os.close(done)
        watcher.join()
        os.close(over)
        os.close(watch)
    if written.is_set():  # it was faster
        return NO_ANSWER
    kill()
    return answer


def _watch(folder: str) -> int:
    """Return what can be read as soon as a file in a folder is made or written."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        raise UnsupportedCall("word of files being written, which only Linux gives at once")
    watch: int = libc.inotify_init1(_IN_CLOEXEC | _IN_NONBLOCK)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(folder), _IN_MODIFY | _IN_CREATE) < 0:
        raise UnsupportedCall(f"word of files being written ({os.strerror(ctypes.get_errno())})")
    return watch
