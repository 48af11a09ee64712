"""Run inside a child process: shut a program in where bubblewrap is not there to do it.

The supervisor imports this when it is asked to confine, in namespaces of its own: of users, mounts, processes, and
without a network. It sees everything and can write nothing but the named folders. Its devices are those that every
program needs, `/run` is empty but for what is on the PATH, and it has no capabilities and can get none.
"""

# It runs before the program, as the supervisor does.
# ruff: noqa: PTH102, PTH103, PTH109, PTH110, PTH112, PTH123, PTH211

from __future__ import annotations

import ctypes
import os

__all__ = ["COMMON_TO_ALL", "drop_rights", "shut_in"]

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 0x1
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
COMMON_TO_ALL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
"""What is no process's own: root could write there."""

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


def shut_in(writable: list[str]) -> None:
    """Make everything read-only but these folders. For the first process of new namespaces. Raises OSError."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    for folder in writable:
        _mount(folder, folder, None, _MS_BIND)
    _set_read_only("/", recursive=True)
    for folder in writable:
        _set_read_only(folder, wanted=False)
    _empty_run()
    _plain_devices()
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    for path in COMMON_TO_ALL:
        if os.path.exists(path):
            _mount(path, path, None, _MS_BIND | _MS_REC)
            _set_read_only(path, recursive=True)
    os.chdir(os.getcwd())  # through the mounts that are new


def drop_rights() -> None:
    """Give up every capability for good."""
    capability = 0
    while _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _empty_run() -> None:
    """Hide the sockets of the system's services; programs that are started from there stay."""
    wanted = [
        entry
        for entry in os.environ.get("PATH", "").split(":")
        if entry.startswith("/run/") and os.path.isdir(entry)
    ]
    if os.path.isdir("/run"):
        _cover("/run", {entry: os.open(entry, os.O_PATH) for entry in wanted})
        _set_read_only("/run")


def _plain_devices() -> None:
    there = [f"/dev/{name}" for name in _DEVICES if os.path.exists(f"/dev/{name}")]
    devices = {path: os.open(path, os.O_PATH) for path in there}
    _cover("/dev", devices)
    os.mkdir("/dev/shm")
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(f"/proc/self/{target}", f"/dev/{name}")
    _set_read_only("/dev")
    _mount("tmpfs", "/dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV)


def _cover(folder: str, kept: dict[str, int]) -> None:
    """Put an empty folder over one, with what was at these paths before (open descriptors)."""
    _mount("tmpfs", folder, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
    for path, descriptor in kept.items():
        source = f"/proc/self/fd/{descriptor}"
        if os.path.isdir(source):
            os.makedirs(path, exist_ok=True)
        else:
            open(path, "w").close()
        _mount(source, path, None, _MS_BIND | _MS_REC)
        os.close(descriptor)


def _mount(source: str | None, target: str, kind: str | None, flags: int, more: str | None = None) -> None:
    words = [None if text is None else text.encode() for text in (source, target, kind, more)]
    if _libc.mount(*words[:3], ctypes.c_ulong(flags), words[3]) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot mount {target}: {os.strerror(number)}")


def _set_read_only(path: str, *, recursive: bool = False, wanted: bool = True) -> None:
    attributes = _MountAttributes(
        set=_MOUNT_ATTR_RDONLY if wanted else 0, clear=0 if wanted else _MOUNT_ATTR_RDONLY
    )
    flags = _AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    if _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path.encode(), flags, ctypes.byref(attributes), size) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot make {path} read-only: {os.strerror(number)}")
