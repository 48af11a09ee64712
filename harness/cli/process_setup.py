"""Prepare the process of a command line: streams, umask, signals."""

import fcntl
import os
import signal
import sys

from readfirst.harness.processes.gc_tuning import collect_rarely

# It runs before other modules are imported.

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM."""


def begin() -> None:
    """Prepare the process: closed streams lead to /dev/null, and the umask keeps files readable by their owner.

    An output stream that is open only for reading is treated as closed.
    """
    for descriptor in (0, 1, 2):
        try:
            if descriptor and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                os.close(descriptor)
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    os.umask(os.umask(0o077) & 0o077)
    collect_rarely()
    leave_at_once()


def leave_at_once() -> None:
    """Make a signal end the process at once, with a shell's exit code. Used before and after a command."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as set by `nohup` and a shell's `&`
            signal.signal(number, _leave)


def end() -> None:
    """Flush the standard streams, and prevent signals and unwritable streams from changing the exit code.

    The interpreter takes a moment to exit and flushes the streams again. Without this function, a failure would
    change the exit code.
    """
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:  # for example, a server closes its standard output
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def keep_nothing() -> None:
    """Make a signal end the command at once: it has nothing to clean up, and a waiting thread could delay its exit."""
    if signal.getsignal(signal.SIGTERM) is _terminate:
        leave_at_once()


def listen() -> bool:
    """Make a signal end the command with a clean-up. False: not started by a command line, and nothing changed."""
    is_own = signal.getsignal(signal.SIGTERM) is _leave
    if is_own:
        signal.signal(signal.SIGTERM, _terminate)
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return is_own


def _leave(number: int, _frame: object) -> None:
    os._exit(128 + number)


def _terminate(_number: int, _frame: object) -> None:
    raise Terminated
