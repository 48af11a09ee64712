"""A small disk: a file system of a few pages on which a workspace lies, so that it can be full."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from readfirst.harness.session import UnsupportedCall
from readfirst.harness.suite.scenario import DISK_PAGE

__all__ = ["small_disk"]

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_SLAVE = 0x2, 0x4, 0x4000, 0x80000
_MNT_DETACH = 2
_own = threading.local()


@contextmanager
def small_disk(folder: str, size: int | None) -> Iterator[None]:
    """Let `folder` lie on a file system of `size` bytes while the block runs; None: leave it where it is.

    Only this thread and what it starts meanwhile see it. Raises UnsupportedCall where none can be made: it takes
    Linux, pages of 4096 bytes, and root's right to mount.
    """
    if size is None:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    _mount(libc, folder, size)
    try:
        yield
    finally:
        libc.umount2(os.fsencode(folder), _MNT_DETACH)


def _mount(libc: ctypes.CDLL, folder: str, size: int) -> None:
    if not hasattr(libc, "unshare"):
        raise UnsupportedCall("a small file system, which only Linux makes for a process")
    if os.sysconf("SC_PAGE_SIZE") != DISK_PAGE:
        raise UnsupportedCall(f"a small file system with pages of {DISK_PAGE} bytes")
    if not getattr(_own, "namespace", False):
        _demand(libc.unshare(_CLONE_NEWNS))
        # What is mounted from now on stays among this thread and its processes.
        _demand(libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None))
        _own.namespace = True
    options = f"size={size},mode=755".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    _demand(libc.mount(b"readfirst", os.fsencode(folder), b"tmpfs", flags, options))


def _demand(status: int) -> None:
    if status != 0:
        reason = os.strerror(ctypes.get_errno())
        raise UnsupportedCall(f"the right to make a small file system, which root has ({reason})")
