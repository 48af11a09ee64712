"""Detect entries that others put into a directory that the harness created around a workspace."""

# Plain `os` calls on strings: they run at every step.
# ruff: noqa: PTH208

import errno
import os
import stat
from collections.abc import Callable


class SpoiltError(Exception):
    """An implementation made its workspace unusable; the message describes how."""


class Folder:
    """A directory of the harness that an implementation can write to.

    `keeps` decides by name which entries belong to it. `prefix` is the prefix of its paths in a snapshot.
    `role` describes it if it must stay.
    """

    def __init__(
        self, path: str, prefix: str, keeps: Callable[[str], object] = lambda _name: False, *, role: str = ""
    ) -> None:
        self.path = path
        self.prefix = prefix
        self.role = role
        self._keeps = keeps
        self._identity = _identity(self._status())

    def check(self) -> None:
        """Raise SpoiltError if the directory must stay, but was replaced."""
        if self.role and _identity(self._status()) != self._identity:
            raise SpoiltError(f"the implementation removed or replaced {self.role}")

    def added(self) -> frozenset[str]:
        """Return the names of foreign entries. Empty if the directory is gone.

        Raises SpoiltError as `check` does, and OSError if it cannot be listed.
        """
        self.check()
        if self._status() is None:
            return frozenset()
        return frozenset(name for name in os.listdir(self.path) if not self._keeps(name))

    def _status(self) -> os.stat_result | None:
        try:
            return os.lstat(self.path)
        except OSError:
            return None


def _identity(status: os.stat_result | None) -> tuple[int, int, int] | None:
    """Return the identity of the entry at a path. None if there is none."""
    return None if status is None else (status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode))


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
