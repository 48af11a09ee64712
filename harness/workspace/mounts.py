"""Mount file systems for scenarios: a small one that can become full, or on directories of a workspace."""

import ctypes
import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.processes.safe_open import open_directory
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.scenario import DISK_PAGE

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_SLAVE, _MS_SHARED = 0x2, 0x4, 0x4000, 0x80000, 0x100000
_OPEN_TREE, _MOVE_MOUNT = 428, 429
_OPEN_TREE_CLONE = 0x1
_MOVE_MOUNT_FLAGS = 0x4 | 0x40
"""Flags of `move_mount`: both paths are descriptors (MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH)."""
_MNT_DETACH = 2
_MOUNT_SIZE_BYTES = 1 << 24
"""Size of a file system that a scenario mounts on a directory of the workspace, in bytes."""
_thread = threading.local()


@contextmanager
def small_disk(folder: str, size: int | None) -> Iterator[None]:
    """Mount a file system of `size` bytes (None: no file system) on `folder`. Only this thread and processes that it
    starts see the file system. Raises UnsupportedCall if the system does not allow mounts.
    """
    if size is None:
        yield
        return
    libc = _unshare_mounts()
    if os.sysconf("SC_PAGE_SIZE") != DISK_PAGE:
        raise UnsupportedCall(f"a small file system with pages of {DISK_PAGE} bytes")
    disk = _FileSystem(libc, size)
    try:
        disk.mount(folder)
        yield
    finally:
        disk.close()


class Mounts:
    """The file systems of `mount` and `unmount` events. Unmounting keeps their content. Only this thread, and processes
    that it starts later, see the file systems. Raises UnsupportedCall if the system does not allow mounts.
    """

    def __init__(self) -> None:
        self._libc = _unshare_mounts()
        self._file_systems: dict[str, _FileSystem] = {}

    def mount(self, folder: str) -> None:
        """Mount the file system of a directory. The first call creates it, empty. Raises OSError if mounted already."""
        if folder not in self._file_systems:
            self._file_systems[folder] = _FileSystem(self._libc, _MOUNT_SIZE_BYTES)
        self._file_systems[folder].mount(folder)

    def unmount(self, folder: str) -> None:
        """Unmount the file system of a directory, even if it is in use. Raises OSError if it is not mounted."""
        if folder not in self._file_systems:
            raise OSError(errno.EINVAL, "no mount", folder)
        self._file_systems[folder].unmount()

    def close(self) -> None:
        """Unmount all file systems of the scenario, and delete them with their content."""
        while self._file_systems:
            self._file_systems.popitem()[1].close()


class _FileSystem:
    """A file system of `size` bytes in memory. It can be unmounted even if its mount point was moved."""

    def __init__(self, libc: ctypes.CDLL, size: int) -> None:
        self._libc = libc
        self._scratch = Scratch()
        self._mount_fd: int | None = None
        path = os.fsencode(self._scratch.path)
        flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
        try:
            _require_success(libc.mount(b"readfirst", path, b"tmpfs", flags, b"size=%d,mode=755" % size))
        except UnsupportedCall:
            self._scratch.close()
            raise

    def mount(self, folder: str) -> None:
        """Mount the file system on the directory `folder`, without following links. Raises OSError."""
        if self._mount_fd is not None:
            raise OSError(errno.EBUSY, "it is mounted there", folder)
        path = os.fsencode(self._scratch.path)
        tree_fd = self._libc.syscall(_OPEN_TREE, -1, path, ctypes.c_uint(_OPEN_TREE_CLONE | os.O_CLOEXEC))
        _require_success(min(tree_fd, 0))
        try:
            with open_directory(folder) as target_fd:
                self._check(self._libc.syscall(_MOVE_MOUNT, tree_fd, b"", target_fd, b"", _MOVE_MOUNT_FLAGS))
        except OSError:
            os.close(tree_fd)
            raise
        self._mount_fd = tree_fd

    def unmount(self) -> None:
        """Unmount the file system. Raises OSError if it is not mounted."""
        if self._mount_fd is None:
            raise OSError(errno.EINVAL, "no mount")
        mount_fd, self._mount_fd = self._mount_fd, None
        try:
            self._check(self._libc.umount2(b"/proc/self/fd/%d" % mount_fd, _MNT_DETACH))
        finally:
            os.close(mount_fd)

    def close(self) -> None:
        """Unmount the file system, if it is mounted, and delete it with its content."""
        with suppress(OSError):  # it may have been removed together with its parent
            self.unmount()
        self._libc.umount2(os.fsencode(self._scratch.path), _MNT_DETACH)
        self._scratch.close()

    def _check(self, status: int) -> None:
        if status != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _unshare_mounts() -> ctypes.CDLL:
    """Create a separate mount namespace for this thread and its later child processes, unless it has one. Return the C
    library for system calls. Raises UnsupportedCall if the system does not allow it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        raise UnsupportedCall("a separate file system for one process, which only Linux supports")
    if not getattr(_thread, "namespace", False):
        _require_success(libc.unshare(_CLONE_NEWNS))
        for flags in (_MS_REC | _MS_SLAVE, _MS_REC | _MS_SHARED):
            _require_success(libc.mount(b"none", b"/", None, ctypes.c_ulong(flags), None))
        _thread.namespace = True
    return libc


def _require_success(status: int) -> None:
    if status != 0:
        reason = os.strerror(ctypes.get_errno())
        raise UnsupportedCall(f"the right to mount a file system, usually reserved for root ({reason})")
