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
    """A directory of the harness that an implementation can write to.

    `keeps` decides by name which entries belong to it. `prefix` is the prefix of its paths in a snapshot.
    `role` describes it if it must stay. While it contains nothing else, it has the fixed old time: adding or
    removing an entry changes its times, and only then is it listed.
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
        """Raise SpoiltError if the directory must stay, but was replaced."""
        if self.role and _identity(self._status()) != self._identity:
            raise SpoiltError(f"the implementation removed or replaced {self.role}")

    def added(self) -> frozenset[str]:
        """Return the names of foreign entries. Empty if the directory is gone.

        Raises SpoiltError as `check` does, and OSError if it cannot be listed.
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
        """Whether no entry was added or removed since `added` found nothing."""
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
    """Return device, inode and type of an entry: these differ if the entry was removed and created again. None if
    there is no entry.
    """
    return None if status is None else (status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode))


def _state(status: os.stat_result) -> _State:
    """Return values that change if a directory is replaced, or if entries are added, removed or renamed in it."""
    return status[:7], status.st_mtime_ns, status.st_ctime_ns


class TooLargeError(Exception):
    """The directory contains more than can be compared."""


_OF_THE_SYSTEM = frozenset(
    {errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EROFS}
)
"""Errors of the system that are not the implementation's fault."""


class spoiling:  # noqa: N801 - it is used like a function; a class, because it is around every snapshot
    """Raise SpoiltError for errors in a workspace that an implementation has changed.

    OSError is passed on if the system lacks a resource. `doing` describes the operation.
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
