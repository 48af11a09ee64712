"""Detect files that an implementation creates outside the workspace, in the directories around it."""

# Plain `os` calls on strings: they run at every step.
# ruff: noqa: PTH208

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from readfirst.harness.suite.file_entry import OLD_TIME

_NO_NAMES: frozenset[str] = frozenset()
_State = tuple[tuple[float, ...], int, int]


class SpoiltError(Exception):
    """An implementation made its workspace unusable, for example by replacing a directory above it."""


class GuardedDirectory:
    """Detects the files and directories that an implementation creates in a directory which belongs to the harness."""

    def __init__(
        self, path: str, prefix: str, is_own: Callable[[str], object] = lambda _name: False, *, role: str = ""
    ) -> None:
        self.path = path
        self.prefix = prefix  # precedes the names of added files in a snapshot
        self.role = role  # describes a directory that must not be replaced, in the error message
        self._is_own = is_own  # returns whether a name in the directory belongs to the harness
        self._identity = _identity(self._status())
        self._untouched: _State | None = None
        """State without added files, with a fixed old time. An unchanged directory is not listed again."""

    def check(self) -> None:
        """Raise SpoiltError if the directory has a `role` (it must not be replaced), but was removed or replaced."""
        if self.role and _identity(self._status()) != self._identity:
            raise SpoiltError(f"the implementation removed or replaced {self.role}")

    def added(self) -> frozenset[str]:
        """Return the names of entries that do not belong to the harness. Empty if the directory is missing. Raises
        SpoiltError as `check` does, and OSError.
        """
        if self.is_untouched():
            return _NO_NAMES
        self.check()
        self._untouched = None
        with suppress(OSError):  # before the directory is listed, so that the next call detects later changes
            os.utime(self.path, (OLD_TIME, OLD_TIME), follow_symlinks=False)
        status = self._status()
        if status is None:
            return _NO_NAMES
        added = frozenset(name for name in os.listdir(self.path) if not self._is_own(name))
        if not added and status.st_mtime == OLD_TIME and status.st_mode & stat.S_IRWXU == stat.S_IRWXU:
            self._untouched = _state(status)
        return added

    def is_untouched(self) -> bool:
        """Whether the latest call of `added` found no added file, and the directory has not changed since then."""
        if self._untouched is None:
            return False
        status = self._status()
        return status is not None and _state(status) == self._untouched

    def _status(self) -> os.stat_result | None:
        try:
            return os.lstat(self.path)
        except OSError:
            return None


def _identity(status: os.stat_result | None) -> tuple[int, int, int] | None:
    """Return device, inode and type, to detect that a path was created again. None if the path is missing."""
    return None if status is None else (status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode))


def _state(status: os.stat_result) -> _State:
    """Return values that change if a directory is replaced, or if files are added, removed or renamed in it."""
    return status[:7], status.st_mtime_ns, status.st_ctime_ns


class TooLargeError(Exception):
    """The workspace contains too many files, or too many bytes, to be compared."""


_SYSTEM_ERRORS = frozenset(
    {errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EROFS}
)
"""Numbers of errors that the system causes, such as a full disk."""


@contextmanager
def errors_as_spoilt(operation: str) -> Iterator[None]:
    """Convert errors in the `with` block to SpoiltError, except errors that the system causes, such as a full disk. The
    message contains `operation`, such as `read the workspace`.
    """
    try:
        yield
    except TooLargeError as error:
        raise SpoiltError(f"cannot {operation}: {error}") from error
    except (OSError, RecursionError) as error:
        if isinstance(error, RecursionError) or error.errno == errno.ENAMETOOLONG:
            raise SpoiltError(f"cannot {operation}: its directories are nested too deeply") from None
        if error.errno in _SYSTEM_ERRORS:
            raise
        raise SpoiltError(f"cannot {operation}: {error}") from error
