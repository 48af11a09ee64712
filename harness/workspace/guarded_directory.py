"""Detect entries that others put into a directory that the harness created around a workspace."""

# Plain `os` calls on strings: they run at every step.
# ruff: noqa: PTH208

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from readfirst.harness.suite.file_entry import OLD_TIME

_NOTHING: frozenset[str] = frozenset()
_State = tuple[tuple[float, ...], int, int]


class SpoiltError(Exception):
    """An implementation made its workspace unusable; the message describes how."""


class Folder:
    """A directory that the harness created and that an implementation can write to. Detects entries that the
    implementation adds to it.

    `keeps` returns by name whether an entry belongs to the harness. `prefix` is the prefix of the paths of added
    entries in a snapshot. If the directory must not be replaced, `role` describes it in the error message; otherwise
    it is empty.

    While it contains only entries of the harness, the directory has a fixed old time. Adding or removing an entry
    changes this time. So the directory is listed only if its time has changed.
    """

    def __init__(
        self, path: str, prefix: str, keeps: Callable[[str], object] = lambda _name: False, *, role: str = ""
    ) -> None:
        self.path = path
        self.prefix = prefix
        self.role = role
        self._keeps = keeps
        self._identity = _identity(self._status())
        self._untouched: _State | None = None

    def check(self) -> None:
        """Raise SpoiltError if the directory was removed or replaced although it must stay (`role`)."""
        if self.role and _identity(self._status()) != self._identity:
            raise SpoiltError(f"the implementation removed or replaced {self.role}")

    def added(self) -> frozenset[str]:
        """Return the names of the entries that do not belong to the harness. Empty if the directory is gone.

        Raises SpoiltError as `check` does, and OSError if the directory cannot be listed.
        """
        if self.is_untouched():
            return _NOTHING
        self.check()
        self._untouched = None
        with suppress(OSError):  # before it is listed, so that later changes are seen the next time
            os.utime(self.path, (OLD_TIME, OLD_TIME), follow_symlinks=False)
        status = self._status()
        if status is None:
            return _NOTHING
        found = frozenset(name for name in os.listdir(self.path) if not self._keeps(name))
        if not found and status.st_mtime == OLD_TIME and status.st_mode & stat.S_IRWXU == stat.S_IRWXU:
            self._untouched = _state(status)
        return found

    def is_untouched(self) -> bool:
        """Whether the latest call of `added` found no entry, and no entry was added or removed since."""
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
    """Return an entry's device, inode and type, which differ if it was created again. None: missing."""
    return None if status is None else (status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode))


def _state(status: os.stat_result) -> _State:
    """Return values that change if a directory is replaced, or if entries are added, removed or renamed in it."""
    return status[:7], status.st_mtime_ns, status.st_ctime_ns


class TooLargeError(Exception):
    """The directory contains too many files, or too many bytes, to be compared."""


_OF_THE_SYSTEM = frozenset(
    {errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EROFS}
)
"""Numbers of errors that are not the implementation's fault, but the system's."""


class spoiling:  # noqa: N801 - it is used like a function; a class, because it is around every snapshot
    """Context manager that turns errors into SpoiltError: the implementation has changed the workspace so that the
    harness cannot use it.

    An OSError is not converted if the system lacks a resource. `doing` describes the operation of the block.
    """

    __slots__ = ("_doing",)

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: object
    ) -> None:
        deep = f"cannot {self._doing}: its directories are nested too deeply" if error is not None else ""
        match error:
            case RecursionError():
                raise SpoiltError(deep) from None
            case TooLargeError():
                raise SpoiltError(f"cannot {self._doing}: {error}") from error
            case OSError(errno=errno.ENAMETOOLONG):
                raise SpoiltError(deep) from None
            case OSError(errno=number) if number not in _OF_THE_SYSTEM:
                raise SpoiltError(f"cannot {self._doing}: {error}") from error
