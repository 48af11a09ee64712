"""Run inside a child process: start a program, watch it, and kill all processes that it leaves.

`main` gets CHANNEL [--wrapped] [--listening] -- COMMAND..., in a Python without site-packages that has this
package at the end of its path. It imports almost nothing, because it runs before every program. CHANNEL is an
inherited socket. If its other end closes, because the harness ended, all processes are killed. If the program
exits, its remaining processes are killed, and this process exits in the same way. A byte from the channel is
the number of a signal for the program.

`--wrapped`: COMMAND is bubblewrap, which starts the program (`sandbox`). The kernel ends all processes of its namespace
with the first. Otherwise this process becomes the parent of all orphans, and kills all of its children. On systems
without this feature only the process group is killed, and processes that left it survive.

`--listening`: the program gets the channel, too, as LISTENING_FD, for `listener`.

The program has no capability to override file modes, even for root: its behaviour must not depend on the user.
"""

# Slow modules are imported on first use, or not at all.
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
    import _signal as signal  # the C part of `signal`, without the enumerations that take long to import

LISTENING_FD = 7
"""Number of the descriptor that a program started by `listener` uses to send its socket to the harness."""
INPUT_FD, OUTPUT_FD = 8, 9
"""Descriptors for a wrapped program's standard input and output, which bubblewrap itself must not keep open."""

_NOT_FOUND_STATUS = 127
_SIGNAL_STATUS_OFFSET = 128
"""Number that a shell and bubblewrap add to a signal's number, as the exit status of a program killed by the signal."""
_LAST_SIGNAL = 64
_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_MODE_OVERRIDES = (1, 2, 4)
"""Capabilities that the program does not get: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FSETID."""
_KILL_TIMEOUT_S = 5.0
"""Maximum seconds for attempts to kill all processes; those of a different user cannot be killed."""


def main(arguments: list[str]) -> NoReturn:
    """Run the supervisor, and exit with the program's status. Tell the harness if processes cannot be killed."""
    split = arguments.index("--")
    (inherited, *flags), command = arguments[:split], arguments[split + 1 :]
    os.umask(0o022)
    channel = fcntl.fcntl(int(inherited), fcntl.F_DUPFD_CLOEXEC, OUTPUT_FD + 1)
    os.close(int(inherited))
    adopts, wrapped = _adopt_orphans(), "--wrapped" in flags
    try:
        os.write(channel, b"" if adopts or wrapped else b"this system has no subreapers")
    except OSError:
        pass  # the harness has exited: the program ends immediately
    status = _run_program(command, channel, wrapped=wrapped, listening="--listening" in flags)
    if adopts:
        _kill_descendants()
    elif status is None:
        os.killpg(0, signal.SIGKILL)
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    if wrapped and _SIGNAL_STATUS_OFFSET < code <= _SIGNAL_STATUS_OFFSET + _LAST_SIGNAL:
        code = _SIGNAL_STATUS_OFFSET - code
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _run_program(command: list[str], channel: int, *, wrapped: bool, listening: bool) -> int | None:
    """Start the program, wait for its exit, and return its status. None if the harness closes the channel first."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = _fork_program(command, channel, wrapped=wrapped, listening=listening)
    # Only the program's streams count: no reader must wait for this process to close them.
    _close_descriptors_except(2, channel, woken, wake)
    while True:
        ready, _, _ = select.select([woken, channel], [], [])
        if channel in ready:
            number = _read_signal(channel)
            if not number:
                return None
            os.kill(_wrapped_program(child) if wrapped else child, number)
        if woken in ready:
            os.read(woken, 4096)
            for pid, status in _reap_children():
                if pid == child:
                    return status


def _wrapped_program(wrapper: int) -> int:
    """Return the process id of the program that bubblewrap (`wrapper`) runs, a grandchild of bubblewrap."""
    pid = wrapper
    for _ in range(2):
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                pid = int(file.read().split()[0])
        except (OSError, IndexError):
            return wrapper
    return pid


def _read_signal(channel: int) -> int:
    """Read from the channel the number of a signal that the program must get. 0 if the harness closed the channel."""
    try:
        return int.from_bytes(os.read(channel, 1), "big")
    except ConnectionResetError:  # the harness exited before it read the message
        return 0


def _fork_program(command: list[str], channel: int, *, wrapped: bool, listening: bool) -> int:
    """Start the program as a child process that ends with this process. Return its process id."""
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
        _drop_mode_overrides()
        if listening:
            os.dup2(channel, LISTENING_FD)
        if wrapped:
            null = os.open(os.devnull, os.O_RDWR)
            for stream, duplicate in ((0, INPUT_FD), (1, OUTPUT_FD)):
                os.dup2(stream, duplicate)
                os.dup2(null, stream)
        if os.getppid() == parent:
            execute(command)
    except OSError as error:
        print(f"readfirst: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(_NOT_FOUND_STATUS)


def execute(command: list[str]) -> NoReturn:
    """Replace this process by the program. Raises OSError if the program cannot be executed."""
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


def _drop_mode_overrides() -> None:
    """Give up the capabilities (of root) that override file modes, before the program is executed."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        for capability in _MODE_OVERRIDES:
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _die_with_parent() -> None:
    """Make the kernel kill this process when its parent exits, also after it executes another program."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _adopt_orphans() -> bool:
    """Make this process the parent of every orphaned descendant. Return whether the system supports that."""
    libc = ctypes.CDLL(None, use_errno=True)
    return hasattr(libc, "prctl") and libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _kill_descendants() -> None:
    """Kill all child processes, including those that become children because their parent was killed."""
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    while time.monotonic() < deadline:
        _reap_children()
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        for pid in _find_descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.001)


def _find_descendants(ancestor: int) -> list[int]:
    """Return the process ids of all current descendants of a process."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                pass  # it has exited since
    descendants = [ancestor]
    for pid in descendants:
        descendants.extend(child for child, parent in parents.items() if parent == pid)
    return descendants[1:]


def _reap_children() -> list[tuple[int, int]]:
    """Collect the exit statuses of child processes that have exited. Return pairs of a process id and a status."""
    statuses = []
    try:
        while (status := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            statuses.append(status)
    except ChildProcessError:
        pass
    return statuses


def _close_descriptors_except(*kept_open: int) -> None:
    """Close all file descriptors except `kept_open`. Used because only the program may keep its streams open."""
    low = 0
    for descriptor in (*sorted(kept_open), 1 << 16):
        os.closerange(low, descriptor)
        low = descriptor + 1
