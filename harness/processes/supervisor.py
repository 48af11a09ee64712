"""Run inside a child process: start a program, watch over it, and let nothing that it starts outlive it.

`main` gets CHANNEL [--wrapped] [--listening] -- COMMAND..., in a Python without site-packages that has this package at
the end of its path; this imports next to nothing, because it runs before every program. CHANNEL is an inherited socket.
When its other end closes, because the harness ended however it ended, all processes are killed; when the program ends,
so does what it left, and this process ends in the same way. A byte that comes through it is the number of a signal for
the program.

`--wrapped`: COMMAND is bubblewrap, which starts the program (`sandbox`). The kernel ends all processes of its namespace
with the first. Elsewhere this process becomes the parent of everything that loses its own, and kills its children until
there are none. A system that cannot do that leaves the process group, and what leaves that gets away.

`--listening`: what is started gets the channel, too, as LISTENING_FD, for `listener`.

The program has no right to read or write files against their modes, not even root's: what it does must not depend on
who tests it.
"""

# Modules that take long to import are imported by who needs them, or not at all.
# ruff: noqa: PTH123, PTH208, SIM105

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import NoReturn
else:
    import _signal as signal  # what `signal` is made of, without the enumerations that take long to import

LISTENING_FD = 7
"""The descriptor of the channel in a program that `listener` starts."""
INPUT_FD, OUTPUT_FD = 8, 9
"""The descriptors of standard input and output where the program is wrapped, so that bubblewrap holds neither open."""

_NOT_FOUND = 127
_BY_SIGNAL = 128
"""What shells and bubblewrap add to the number of a signal that ended a program, for their own exit status."""
_LAST_SIGNAL = 64
_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_AGAINST_MODES = (1, 2, 4)
"""The capabilities CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FSETID."""
_TIMEOUT_S = 5.0
"""After this time, processes that cannot be killed (another user's) are left."""


def main(arguments: list[str]) -> NoReturn:
    """Start the program, report what may get away, and end as the program ends."""
    split = arguments.index("--")
    (inherited, *flags), command = arguments[:split], arguments[split + 1 :]
    os.umask(0o022)
    channel = fcntl.fcntl(int(inherited), fcntl.F_DUPFD_CLOEXEC, OUTPUT_FD + 1)
    os.close(int(inherited))
    adopts, wrapped = _adopt_orphans(), "--wrapped" in flags
    try:
        os.write(channel, b"" if adopts or wrapped else b"this system has no subreapers")
    except OSError:
        pass  # the harness is gone: the program ends as soon as it begins
    status = _watch(command, channel, wrapped=wrapped, listening="--listening" in flags)
    if adopts:
        _kill_descendants()
    elif status is None:
        os.killpg(0, signal.SIGKILL)
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    if wrapped and _BY_SIGNAL < code <= _BY_SIGNAL + _LAST_SIGNAL:
        code = _BY_SIGNAL - code
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _watch(command: list[str], channel: int, *, wrapped: bool, listening: bool) -> int | None:
    """Start the program and wait for its end; return its status, None if the channel closed first."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = _start(command, channel, wrapped=wrapped, listening=listening)
    # The program's ends alone count: nobody is to wait for this process to close its own.
    _close_but(2, channel, woken, wake)
    while True:
        ready, _, _ = select.select([woken, channel], [], [])
        if channel in ready:
            number = _heard(channel)
            if not number:
                return None
            os.kill(_wrapped_program(child) if wrapped else child, number)
        if woken in ready:
            os.read(woken, 4096)
            for pid, status in _ended():
                if pid == child:
                    return status


def _wrapped_program(wrapper: int) -> int:
    """Return the process id of the program that bubblewrap started by way of the first process of its namespace."""
    pid = wrapper
    for _ in range(2):
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                pid = int(file.read().split()[0])
        except (OSError, IndexError):
            return wrapper
    return pid


def _heard(channel: int) -> int:
    """Return the number of a signal, 0 where the channel was closed."""
    try:
        return int.from_bytes(os.read(channel, 1), "big")
    except ConnectionResetError:  # the harness ended before it had read the message
        return 0


def _start(command: list[str], channel: int, *, wrapped: bool, listening: bool) -> int:
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
        if listening:
            os.dup2(channel, LISTENING_FD)
        if wrapped:
            null = os.open(os.devnull, os.O_RDWR)
            for stream, kept in ((0, INPUT_FD), (1, OUTPUT_FD)):
                os.dup2(stream, kept)
                os.dup2(null, stream)
        if os.getppid() == parent:
            execute(command)
    except OSError as error:
        print(f"readfirst: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(_NOT_FOUND)


def execute(command: list[str]) -> NoReturn:
    """Become the program. Raises OSError."""
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
    deadline = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < deadline:
        _ended()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        for pid in _descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
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
