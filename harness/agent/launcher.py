"""Run inside the child: leave the network, listen on the loopback interface, start the agent and watch over it.

Started as `python -I launcher.py SOCKET FILE... -- COMMAND...`; uses the standard library only. SOCKET is
an inherited Unix socket: the listening socket goes back through it, so the scripted model can stay in the
harness although the network namespace has a loopback interface of its own. The message beside it tells whether
the network is gone (`isolated`) or why it is not (`open: REASON`). Where PORT stands in a variable, in the
command or in one of the files, the port is put, which nobody knows before.

It leads the process group. When the other end of SOCKET closes, because the harness ended however it ended, it
kills the group, itself last; when the agent ends, it ends in the same way.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

PORT = "{port of the model}"

_NOT_FOUND = 127
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1


def leave_network() -> str:
    """Enter a network namespace in which only the loopback interface exists; return '' or why it failed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        return "this system has no network namespaces"
    if libc.unshare(_CLONE_NEWNET) != 0:
        # Some systems let anybody make a namespace and nobody do anything in it: a child finds that out, because
        # there is no way back.
        child = os.fork()
        if child == 0:
            os._exit(_errno_of(lambda: _leave_as_a_user(libc)))
        if problem := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            return os.strerror(problem)
        _leave_as_a_user(libc)
    else:
        _start_loopback()
    return ""


def _leave_as_a_user(libc: ctypes.CDLL) -> None:
    """Leave the network with the rights that a user has in a namespace of users. Raises OSError."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    _start_loopback()


def _start_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def _errno_of(action: Callable[[], None]) -> int:
    """Return the number of the error that an action ends with, 0 if with none."""
    try:
        action()
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends; it survives exec."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command: list[str]) -> int:
    """Start the program as a child that does not outlive this process; return its process id."""
    parent = os.getpid()
    child = os.fork()
    if child != 0:
        return child
    try:
        die_with_parent()
        if os.getppid() == parent:
            os.execvp(command[0], command)
    except OSError as error:
        print(f"readfirst: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(_NOT_FOUND)


def end_with(child: int, lifeline: int) -> NoReturn:
    """Kill the whole process group when the other end of `lifeline` closes; end as the child ends."""
    threading.Thread(target=_kill_group_after, args=(lifeline,), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def _kill_group_after(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os.killpg(0, signal.SIGKILL)


def main(arguments: list[str]) -> None:
    """Isolate, listen, tell the harness, start the agent, end as it ends."""
    channel, *rest = arguments
    files, command = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    try:
        problem = leave_network()
    except OSError as error:
        problem = str(error)
    harness = socket.socket(fileno=int(channel))
    harness.set_inheritable(False)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port = str(listener.getsockname()[1])
        message = f"open: {problem}" if problem else "isolated"
        socket.send_fds(harness, [message.encode()], [listener.fileno()])
    for name, value in os.environ.items():
        os.environ[name] = value.replace(PORT, port)
    for file in map(Path, files):
        file.write_text(file.read_text("utf-8").replace(PORT, port), "utf-8")
    end_with(start([argument.replace(PORT, port) for argument in command]), harness.fileno())


if __name__ == "__main__":
    main(sys.argv[1:])
