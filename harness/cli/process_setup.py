"""Prepare the process of a command: streams, umask and signals."""

import fcntl
import os
import signal
import sys

from readfirst.harness.processes.gc_tuning import collect_rarely

# It runs before other modules are imported.

_EXIT_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """Raised if the process receives SIGTERM."""


def begin() -> None:
    """Prepare the process: replace closed streams by /dev/null, and let the user read all created files."""
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
    exit_on_signals()


def exit_on_signals() -> None:
    """Let SIGINT and SIGTERM end the process at once, with a shell's exit code. Used before and after commands."""
    for number in _EXIT_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as set by `nohup` and a shell's `&`
            signal.signal(number, _exit_with_signal_code)


def end() -> None:
    """Flush the standard streams at the end of a command. Afterwards, a signal or a stream that cannot be written does
    not change the exit code.
    """
    for number in _EXIT_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:  # for example, a server closes its standard output
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def exit_on_signals_during_command() -> None:
    """Make signals end the current command at once. For commands without clean-up whose threads may be blocked."""
    if signal.getsignal(signal.SIGTERM) is _raise_terminated:
        exit_on_signals()


def listen() -> bool:
    """Let SIGINT and SIGTERM raise exceptions, for a clean-up. If `begin` was not called, return False instead."""
    is_own = signal.getsignal(signal.SIGTERM) is _exit_with_signal_code
    if is_own:
        signal.signal(signal.SIGTERM, _raise_terminated)
        if signal.getsignal(signal.SIGINT) is _exit_with_signal_code:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return is_own


def _exit_with_signal_code(number: int, _frame: object) -> None:
    os._exit(128 + number)


def _raise_terminated(_number: int, _frame: object) -> None:
    raise Terminated
