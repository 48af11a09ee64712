"""Run inside a child process: shut a program in, so that it sees and reaches what it needs and nothing else.

The supervisor imports this when it is asked to confine, in namespaces of its own: of users, mounts, processes, and
without a network. The file system is a new one with the places that it is given (`view`), of which only some can be
written to: what is not there has no sockets and no FIFOs either. The program has no capabilities, can get none, and
makes sockets of the Internet and of Unix alone.
"""

# It runs before the program, as the supervisor does.
# ruff: noqa: PTH102, PTH103, PTH106, PTH109, PTH110, PTH112, PTH120, PTH123, PTH211

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC = 0x2, 0x4, 0x8, 0x1000, 0x4000
_MS_PRIVATE, _MS_SLAVE = 0x40000, 0x80000
_MNT_DETACH = 2
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 0x1
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_COMMON_TO_ALL = tuple(
    f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "pressure")
)
"""What is no process's own: root could write there."""
_CONTROL_GROUPS = "/proc/sys/user/max_cgroup_namespaces"
"""How many may be made: in one of its own a program could mount the control groups, and freeze or end the user's."""
_STAGE = "/etc"
"""A folder that every system has and nobody needs for a moment."""
_OLD = "/old"
_SHARED_MEMORY = 256 * 1024 * 1024
"""Bytes that fit into `/dev/shm`."""

_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; others (AF_VSOCK, to the host of a virtual machine) know no namespaces."""
_IO_URING_SETUP = 425
_SYSTEM_CALLS = {"x86_64": (0xC000003E, 41, (248, 249, 250)), "aarch64": (0xC00000B7, 198, (217, 218, 219))}
"""By machine its number for a filter, and those of `socket` and of `add_key`, `request_key`, `keyctl`."""

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def shut_in(places: list[list[str]]) -> None:
    """Make the file system anew, of these places (`view.Place`). For the first process of new namespaces.

    Raises OSError.
    """
    directory = os.getcwd()
    # What the harness mounts in a workspace arrives there; nothing arrives elsewhere, as `_bind` sees to.
    _mount(None, "/", None, _MS_REC | _MS_SLAVE)
    _mount("tmpfs", _STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
    os.mkdir(_STAGE + _OLD)
    os.chdir(_STAGE)
    _check(_libc.pivot_root(b".", _OLD[1:].encode()), "cannot change the root")
    os.chdir("/")
    _devices()
    empty = ["/"]
    for what, path, *target in places:
        match what:
            case "show" | "write":
                _show(path, writable=what == "write")
            case "hide":
                if os.path.isdir(path):
                    _mount("tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
                    empty.append(path)
            case "close":
                if os.path.lexists(path):
                    _bind(f"{_OLD}/dev/null", path)
            case "folder":
                os.makedirs(path, exist_ok=True)
            case "link":
                if not os.path.lexists(path):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    os.symlink(target[0], path)
    os.mkdir("/proc")
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    if os.path.exists(_CONTROL_GROUPS):
        with open(_CONTROL_GROUPS, "w") as file:
            file.write("0")
    for path in filter(os.path.exists, _COMMON_TO_ALL):
        _bind(path, path)
        _set_read_only(path, recursive=True)
    _check(_libc.umount2(_OLD.encode(), _MNT_DETACH), "cannot leave the old root")
    os.rmdir(_OLD)
    for path in empty:
        _set_read_only(path)
    os.chdir(directory)


def limit(limits: dict[str, int]) -> None:
    """Set the limits of this process, and of what it starts."""
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))


def drop_rights() -> None:
    """Give up every capability for good, and every kind of socket that knows no namespaces. Raises OSError."""
    capability = 0
    while _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "cannot give up new rights")
    if os.uname().machine in _SYSTEM_CALLS:
        instructions = _instructions(*_SYSTEM_CALLS[os.uname().machine])
        program = _Filter(len(instructions) // 8, instructions)
        _check(_libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0), "cannot filter system calls")


def _instructions(machine: int, socket: int, keys: tuple[int, ...]) -> bytes:
    """Return a filter of system calls: no sockets but of some families, no keys of the kernel, no io_uring.

    Programs for another machine, which number calls otherwise, can make none.
    """
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06
    allowed, refused = 0x7FFF0000, 0x00050000
    families = [(equal, len(_FAMILIES) - number, 0, family) for number, family in enumerate(_FAMILIES)]
    forbidden = (*keys, _IO_URING_SETUP)
    checks = [(equal, 0, 1, call) for call in forbidden]
    refusals = [(end, 0, 0, refused | errno.ENOSYS)] * len(forbidden)
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, machine),
        (end, 0, 0, refused | errno.ENOSYS),
        (load, 0, 0, 0),
        (at_least, 0, 1, 0x40000000),
        (end, 0, 0, refused | errno.ENOSYS),
        *(each for pair in zip(checks, refusals, strict=True) for each in pair),
        (equal, 1, 0, socket),
        (end, 0, 0, allowed),
        (load, 0, 0, 16),
        *families,
        (end, 0, 0, refused | errno.EAFNOSUPPORT),
        (end, 0, 0, allowed),
    ]
    return b"".join(struct.pack("HBBI", *each) for each in program)


def _show(path: str, *, writable: bool) -> None:
    source = _OLD + path
    if os.path.isdir(source):
        os.makedirs(path, exist_ok=True)
    elif os.path.exists(source):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            open(path, "w").close()
    else:
        return
    _bind(source, path, follows=writable)
    _set_read_only(path, recursive=True, wanted=not writable)


def _devices() -> None:
    os.makedirs("/dev/shm")
    for name in _DEVICES:
        if os.path.exists(f"{_OLD}/dev/{name}"):
            open(f"/dev/{name}", "w").close()
            _bind(f"{_OLD}/dev/{name}", f"/dev/{name}")
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(f"/proc/self/{target}", f"/dev/{name}")
    _mount("tmpfs", "/dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={_SHARED_MEMORY}")


def _bind(source: str, target: str, *, follows: bool = False) -> None:
    """Show a place at another one; what is mounted there later arrives here if it `follows`."""
    _mount(source, target, None, _MS_BIND | _MS_REC)
    if not follows:
        _mount(None, target, None, _MS_REC | _MS_PRIVATE)


def _mount(source: str | None, target: str, kind: str | None, flags: int, more: str | None = None) -> None:
    words = [None if text is None else os.fsencode(text) for text in (source, target, kind, more)]
    result = _libc.mount(*words[:3], ctypes.c_ulong(flags), words[3])
    _check(result, f"cannot mount {target.removeprefix(_OLD)}")


def _set_read_only(path: str, *, recursive: bool = False, wanted: bool = True) -> None:
    attributes = _MountAttributes(
        set=_MOUNT_ATTR_RDONLY if wanted else 0, clear=0 if wanted else _MOUNT_ATTR_RDONLY
    )
    flags = _AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    name = os.fsencode(path)
    result = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, name, flags, ctypes.byref(attributes), size)
    _check(result, f"cannot make {path} read-only")


def _check(result: int, problem: str) -> None:
    """Raise OSError with the problem if a call of the system failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{problem}: {os.strerror(number)}")
