"""Process: what a command line is given by its caller, made safe: its streams, its mask of modes, its signals."""

import fcntl
import os
import signal
import sys

from readfirst.harness.processes.gc_tuning import collect_rarely

# It runs before anything else is imported.

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM)."""


def begin() -> None:
    """Make the process fit for a command: closed streams lead nowhere, and own files are open to their owner.

    A stream for reading alone is as good as closed for what is printed.
    """
    for descriptor in (0, 1, 2):
        try:
            if descriptor and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                os.close(descriptor)
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    os.umask(os.umask(0o077) & 0o077)
    collect_rarely()
    leave_at_once()


def leave_at_once() -> None:
    """Let a signal end the process, with the code of a shell: nothing was begun yet, or everything is done."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` and a shell's `&` have it
            signal.signal(number, _leave)


def end() -> None:
    """Let neither a signal nor a stream that takes nothing more change how the process ends.

    The interpreter itself takes a moment, and flushes what is left: where that fails it ends with a code of its own.
    """
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:  # as a server closes its standard output
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def keep_nothing() -> None:
    """Let a signal end a command at once that has nothing to put in order; in a thread it may wait for its input."""
    if signal.getsignal(signal.SIGTERM) is _terminate:
        leave_at_once()


def listen() -> bool:
    """Let a signal end a command in order, if this is the process of a command line; say whether it is."""
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
