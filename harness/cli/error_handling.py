"""Convert exceptions of commands to exit codes and messages, and return the version of readfirst."""

import errno
import functools
import os
import signal
from collections.abc import Callable
from typing import ParamSpec

import typer

from readfirst.harness.cli.process_setup import Terminated, exit_on_signals, listen
from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.terminal import OutputClosedError, say, say_lines, stdout

P = ParamSpec("P")

_SYSTEM_ERRNOS = frozenset(
    {
        *(errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENAMETOOLONG, errno.ENFILE),
        *(errno.ENOMEM, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS),
    }
)
"""Numbers of errors that are not bugs: the system refuses an operation or lacks a resource. No traceback is printed."""
_REMEDY = "Free space or grant access there; HOME, XDG_CACHE_HOME and TMPDIR name where readfirst keeps its own files."

_tracebacks = False


class UsageError(ReadfirstError):
    """Raised if the arguments of the command line are invalid or cannot be combined."""


def show_tracebacks(wanted: bool) -> None:
    """Set whether error messages contain a traceback."""
    global _tracebacks
    _tracebacks = wanted


def with_exit_code(command: Callable[P, int | None]) -> Callable[P, None]:
    """Make the process exit with the code that a command returns (0 for None). Print an exception of the command."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        is_own = listen()
        try:
            try:
                code = command(*args, **kwargs) or ExitCode.CONFORMANT
                stdout().flush()
            except Exception as error:
                code = print_error(error)
        except Terminated:  # possibly again, during the exit
            code = 128 + signal.SIGTERM
        except KeyboardInterrupt:
            code = ExitCode.INTERRUPTED
        finally:
            if is_own:
                exit_on_signals()
        raise typer.Exit(int(code))

    return wrapped


def print_error(error: Exception) -> int:
    """Print an error in a few lines, and return the exit code for the error. Prints nothing to a closed output."""
    if isinstance(error, OutputClosedError):
        return 128 + signal.SIGPIPE
    if _tracebacks:
        import traceback

        traceback.print_exception(error)
    match error:
        case ReadfirstError():
            first, *more = error.lines
            say_lines([f"readfirst: {first}", *more, *error.details.rstrip().splitlines()], err=True)
            return error.exit_code
        case OSError(errno=number) if number in _SYSTEM_ERRNOS:
            place = "" if error.filename is None else f": {os.fsdecode(error.filename)}"
            say(f"readfirst: {error.strerror or error}{place}. {_REMEDY}", err=True)
            return ExitCode.ERROR
        case _:
            unexpected = " ".join(f"{type(error).__name__}: {error}".split())
            remedy = (
                "This is a bug in readfirst. Run the command again with --traceback and report the output together"
                " with the command line."
            )
            say_lines([f"readfirst: unexpected {unexpected}", remedy], err=True)
            return ExitCode.INTERNAL


def version() -> str:
    """Return the version of the installed readfirst. `unknown` for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("readfirst")
    except PackageNotFoundError:
        return "unknown"
