"""Mounts: a file system of a few pages on which a workspace lies, and those that are mounted below one and go away."""

from __future__ import annotations

import ctypes
import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from readfirst.harness.processes.footing import opened
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.session import UnsupportedCall
from readfirst.harness.suite.scenario import DISK_PAGE

__all__ = ["Mounts", "small_disk"]

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_SLAVE, _MS_SHARED = 0x2, 0x4, 0x1000, 0x4000, 0x80000, 0x100000
_MNT_DETACH = 2
_LARGEST = 1 << 24
"""Bytes that a file system has which is mounted below a workspace."""
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
    libc = _in_own_namespace()
    if os.sysconf("SC_PAGE_SIZE") != DISK_PAGE:
        raise UnsupportedCall(f"a small file system with pages of {DISK_PAGE} bytes")
    _mount(libc, folder, size)
    try:
        yield
    finally:
        libc.umount2(os.fsencode(folder), _MNT_DETACH)


class Mounts:
    """File systems that are mounted on folders of a workspace; what they hold is kept while they are away.

    Only this thread sees them, and what it starts after this was made. Raises UnsupportedCall as `small_disk` does.
    """

    def __init__(self) -> None:
        self._libc = _in_own_namespace()
        self._kept: dict[str, Scratch] = {}
        self._there: set[str] = set()

    def mount(self, folder: str) -> None:
        """Let a folder show its file system, which is empty the first time. Raises OSError where it does so already."""
        if folder in self._there:
            raise OSError(errno.EBUSY, "it is mounted there", folder)
        if folder not in self._kept:
            kept = Scratch()
            _mount(self._libc, str(kept.path), _LARGEST)
            self._kept[folder] = kept
        source = os.fsencode(self._kept[folder].path)
        with _open(folder) as place:
            _demand(self._libc.mount(source, place, None, ctypes.c_ulong(_MS_BIND), None))
        self._there.add(folder)

    def unmount(self, folder: str) -> None:
        """Take a file system away, also from who uses it. Raises OSError where there is none."""
        if folder not in self._there:
            raise OSError(errno.EINVAL, "no mount", folder)
        with _open(folder) as place:
            _demand(self._libc.umount2(place, _MNT_DETACH))
        self._there.remove(folder)

    def close(self) -> None:
        """Take all of them away, for good."""
        for folder in sorted(self._there):
            self.unmount(folder)
        for kept in self._kept.values():
            self._libc.umount2(os.fsencode(kept.path), _MNT_DETACH)
            kept.close()
        self._kept.clear()


@contextmanager
def _open(folder: str) -> Iterator[bytes]:
    """Open a folder past no link, which somebody may have put there, and give it a path. Raises OSError."""
    with opened(folder) as descriptor:
        yield b"/proc/self/fd/%d" % descriptor


def _in_own_namespace() -> ctypes.CDLL:
    """Let this thread have mounts of its own, which what it starts from now on follows. Raises UnsupportedCall."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        raise UnsupportedCall("a file system of its own, which only Linux makes for a process")
    if not getattr(_own, "namespace", False):
        _demand(libc.unshare(_CLONE_NEWNS))
        for flags in (_MS_REC | _MS_SLAVE, _MS_REC | _MS_SHARED):
            _demand(libc.mount(b"none", b"/", None, ctypes.c_ulong(flags), None))
        _own.namespace = True
    return libc


def _mount(libc: ctypes.CDLL, folder: str, size: int) -> None:
    options = f"size={size},mode=755".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    _demand(libc.mount(b"readfirst", os.fsencode(folder), b"tmpfs", flags, options))


def _demand(status: int) -> None:
    if status != 0:
        reason = os.strerror(ctypes.get_errno())
        raise UnsupportedCall(f"the right to mount a file system, which root has ({reason})")
