"""Run inside a child process: start a program, watch over it, and let nothing that it starts outlive it.

`main` gets CHANNEL [FLAG...] -- COMMAND..., in a Python without site-packages that has this package at the end of its
path; this imports next to nothing, because it runs before every program. CHANNEL is an inherited socket. When its other
end closes, because the harness ended however it ended, all processes are killed; when the program ends, so does what it
left, and this process ends in the same way. A byte that comes through it is the number of a signal for the program.

A PID namespace holds the processes together where the system lets us make one: the kernel ends them all with the
first. Elsewhere this process becomes the parent of everything that loses its own, and kills its children until there
are none. A system that has neither leaves the process group, and what leaves that gets away.

`--offline` takes the network away where that is possible. `--listen` opens a socket on the loopback interface, which
is its own then, and hands it back through CHANNEL: a server can stay in the harness. Its port is put where PORT is in a
variable, in the command or in one of the files of `--port-in=FILE`, which nobody knows before.
`--walls=JSON`, with limits and the places that there are,
confines the program (`confine`), or it is not started.

The program has no right to read or write files against their modes, not even root's: what it does must not depend on
who tests it.
"""

# Modules that take long to import are imported by who needs them, or not at all.
# ruff: noqa: PTH123, PTH208, SIM105

from __future__ import annotations

import ctypes
import errno
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import NoReturn

    Walls = tuple[dict[str, int], list[list[str]]]
    """Limits by their names (`nproc`), and the places of the file system (`view.Place`)."""
else:
    import _signal as signal  # what `signal` is made of, without the enumerations that take long to import

PORT = "{port of the model}"

_NOT_STARTED = 126
_NOT_FOUND = 127
_CLONE_NEWNS = 0x00020000
_CLONE_NEWUTS = 0x04000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_ALL = _CLONE_NEWNS | _CLONE_NEWUTS | _CLONE_NEWIPC | _CLONE_NEWPID | _CLONE_NEWNET
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_SLAVE = 0x2, 0x4, 0x8, 0x4000, 0x80000
_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_AGAINST_MODES = (1, 2, 4)
"""The capabilities CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FSETID."""
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1
_PATIENCE = 5.0
"""Seconds after which processes that cannot be killed (another user's) are let go."""


class Isolation:
    """What was reached: whether what is started here is `in_namespace`.

    `processes` says why some may get away, `network` why they keep it; empty for what was reached, or not asked for.
    """

    def __init__(self, in_namespace: bool, processes: str, network: str) -> None:
        self.in_namespace = in_namespace
        self.processes = processes
        self.network = network

    def __str__(self) -> str:
        return f"{self.processes}\n{self.network}"


def main(arguments: list[str]) -> NoReturn:
    """Isolate, tell what could not be, start the program, end as it ends."""
    split = arguments.index("--")
    (channel, *flags), command = arguments[:split], arguments[split + 1 :]
    os.umask(0o022)
    walls = read_walls(flags)
    isolation = isolate(offline="--offline" in flags, confined=walls is not None)
    files = [flag.partition("=")[2] for flag in flags if flag.startswith("--port-in=")]
    try:
        if "--listen" in flags:
            command = _listen(int(channel), str(isolation), files, command)
        else:
            os.write(int(channel), str(isolation).encode())
    except OSError:
        pass  # the harness is gone: the program ends as soon as it begins
    supervise(command, int(channel), isolation, walls)


def _listen(channel: int, isolation: str, files: list[str], command: list[str]) -> list[str]:
    """Hand a listening socket back, and return the command with its port. Raises OSError."""
    import socket

    from readfirst.harness.processes.footing import write_anew

    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as listener,
        socket.socket(fileno=os.dup(channel)) as harness,
    ):
        port = str(listener.getsockname()[1])
        socket.send_fds(harness, [isolation.encode()], [listener.fileno()])
    for name, value in os.environ.items():
        os.environ[name] = value.replace(PORT, port)
    for file in files:
        with open(file, encoding="utf-8", newline="") as given:
            text = given.read()
        write_anew(file, text.replace(PORT, port).encode())
    return [word.replace(PORT, port) for word in command]


def isolate(*, offline: bool, confined: bool = False) -> Isolation:
    """Enter namespaces of our own: of processes (in which this process itself is not), and without a network.

    `confined`: of everything else, too, or this process ends.
    """
    if confined:
        problem = _enter(_ALL, as_a_user=True)
        if problem:
            _say(problem)
            os._exit(_NOT_STARTED)
        return Isolation(True, "", "")
    problem = _enter(_CLONE_NEWPID | _CLONE_NEWNS | (_CLONE_NEWNET if offline else 0))
    if not problem:
        return Isolation(True, "", "")
    processes = "" if _adopt_orphans() else problem
    return Isolation(False, processes, _enter(_CLONE_NEWNET) if offline else "")


def supervise(command: list[str], channel: int, isolation: Isolation, walls: Walls | None = None) -> NoReturn:
    """Start the program, and end as it ends, or by SIGKILL when the channel closes. Nothing of it is left then."""
    os.set_inheritable(channel, False)
    if isolation.in_namespace:
        status = _in_namespace(command, channel, walls)
    else:
        status = _watched(command, channel)
        if not isolation.processes:
            _kill_descendants()
        elif status is None:
            os.killpg(0, signal.SIGKILL)
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _enter(flags: int, *, as_a_user: bool = False) -> str:
    """Leave the namespaces that these flags name; return '' or why it failed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        return "this system has no namespaces"
    if not as_a_user and libc.unshare(flags) == 0:
        _furnish(libc, flags)
        return ""
    # Some systems let anybody make a namespace and nobody do anything in it: a child finds that out, because
    # there is no way back.
    child = os.fork()
    if child == 0:
        os._exit(_errno_of(lambda: _enter_as_a_user(libc, flags)))
    if problem := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        return os.strerror(problem)
    _enter_as_a_user(libc, flags)
    return ""


def _enter_as_a_user(libc: ctypes.CDLL, flags: int) -> None:
    """Do it with the rights that a user has in a namespace of users. Raises OSError."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    _furnish(libc, flags)


def _furnish(libc: ctypes.CDLL, flags: int) -> None:
    if flags & _CLONE_NEWNS:
        # What the program mounts stays among its processes.
        libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None)
    if flags & _CLONE_NEWNET:
        _start_loopback()


def _start_loopback() -> None:
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def _errno_of(action: Callable[[], None]) -> int:
    """Return the number of the error that an action ends with, 0 if with none."""
    try:
        action()
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def read_walls(flags: list[str]) -> Walls | None:
    """Return the limits and the places that a flag names, None if none asks for confinement."""
    for flag in flags:
        name, _, value = flag.partition("=")
        if name == "--walls":
            import json

            limits, places = json.loads(value)
            return limits, places
    return None


def _shut_in(walls: Walls, status_write: int) -> None:
    from readfirst.harness.processes.confine import shut_in

    try:
        shut_in(walls[1])
    except OSError as error:
        _say(str(error.strerror))
        os.write(status_write, str(_NOT_STARTED << 8).encode())
        os._exit(0)


def _say(problem: str) -> None:
    print(f"readfirst: {problem}", file=sys.stderr, flush=True)


def _in_namespace(command: list[str], channel: int, walls: Walls | None) -> int | None:
    """Let the first process of the namespace start the program; return its status when all of them are gone."""
    status_read, status_write = os.pipe()
    first = os.fork()
    if first == 0:
        _die_with_parent()
        os.setsid()
        if walls is not None:
            _shut_in(walls, status_write)
        else:
            # Where the system forbids it, the program sees the processes of everybody.
            ctypes.CDLL(None).mount(
                b"proc", b"/proc", b"proc", ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC), None
            )
        status = _watched(command, channel, status_write, walls=walls)
        if status is not None:
            os.write(status_write, str(status).encode())
        os._exit(0)  # the kernel kills everything else in the namespace
    _close_but(2, status_read)
    os.waitpid(first, 0)
    answer = os.read(status_read, 16)
    return int(answer) if answer else None


def _watched(command: list[str], channel: int, *kept: int, walls: Walls | None = None) -> int | None:
    """Start the program and wait for its end; return its status, None if the channel closed first."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = _start(command, walls)
    # The program's ends alone count: nobody is to wait for this process to close its own.
    _close_but(2, channel, woken, wake, *kept)
    while True:
        ready, _, _ = select.select([woken, channel], [], [])
        if channel in ready:
            number = _heard(channel)
            if not number:
                return None
            os.kill(child, number)
        if woken in ready:
            os.read(woken, 4096)
            for pid, status in _ended():
                if pid == child:
                    return status


def _heard(channel: int) -> int:
    """Return the number of a signal, 0 where the channel was closed."""
    try:
        return int.from_bytes(os.read(channel, 1), "big")
    except ConnectionResetError:  # the harness ended before it had read the message
        return 0


def _start(command: list[str], walls: Walls | None) -> int:
    """Start the program as a child that does not outlive this process; return its process id."""
    parent = os.getpid()
    child = os.fork()
    if child != 0:
        return child
    try:
        _die_with_parent()
        signal.set_wakeup_fd(-1)
        # Python ignores the first two, a shell SIGINT in the background, and a program inherits that.
        for name in ("SIGPIPE", "SIGXFSZ", "SIGINT"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        _heed_modes()
        if walls is not None:
            from readfirst.harness.processes.confine import drop_rights, limit

            limit(walls[0])
            drop_rights()
        if os.getppid() == parent:
            _execute(command)
    except OSError as error:
        _say(f"cannot start {command[0]}: {error.strerror}")
    os._exit(_NOT_FOUND)


def _execute(command: list[str]) -> NoReturn:
    """Become the program. Raises OSError.

    `os.execvp` imports a module for that, of a Python that a confined program perhaps does not see any more.
    """
    name = command[0]
    problem: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    folders = [""] if "/" in name else os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        try:
            os.execv(f"{folder}/{name}" if folder else name, command)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except PermissionError as error:
            problem = error
    raise problem


def _heed_modes() -> None:
    """Let modes of files hold for the program, whoever runs it. It works for root, and nobody else needs it."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        for capability in _AGAINST_MODES:
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends; it survives exec."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _adopt_orphans() -> bool:
    """Become the parent of every descendant that loses its own; tell whether the system can do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    return hasattr(libc, "prctl") and libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _kill_descendants() -> None:
    """Kill the children until there are none: those of a killed process become ours."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        for pid in _descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        _ended()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        time.sleep(0.001)


def _descendants(ancestor: int) -> list[int]:
    """Return the processes that descend from one, as the system lists them just now."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                pass  # it has ended since
    found = [ancestor]
    for each in found:
        found.extend(pid for pid, parent in parents.items() if parent == each)
    return found[1:]


def _ended() -> list[tuple[int, int]]:
    """Reap the children that have ended; return their numbers and statuses."""
    found = []
    try:
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            found.append(ended)
    except ChildProcessError:
        pass
    return found


def _close_but(*kept: int) -> None:
    """Close every other file descriptor: the program's own ends must be the only ones."""
    low = 0
    for each in (*sorted(kept), 1 << 16):
        os.closerange(low, each)
        low = each + 1
