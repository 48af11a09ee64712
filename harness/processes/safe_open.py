"""Footing: folders opened past no link, so that what is done in them is done nowhere else.

Whoever writes in a folder may put a link in its place at any moment, also between a look at it and a deed. A path whose
folders are opened one after the other, none by way of a link, leads where it says or nowhere.
"""

# ruff: noqa: PTH101, PTH115

import errno
import os
import stat
from contextlib import suppress
from typing import Any, Self

_HANDLE = getattr(os, "O_PATH", os.O_RDONLY)
"""How a thing is opened that perhaps may not be read."""
FOLDER = _HANDLE | os.O_DIRECTORY | os.O_NOFOLLOW
"""How a folder is opened that is no link."""


class opened:  # noqa: N801 - it is used like a function; a class, because it is around every snapshot
    """Open a folder by its absolute path, in which no part is a link; `make` what is missing. Raises OSError."""

    __slots__ = ("_folder", "_found", "_make")

    def __init__(self, folder: str, *, make: bool = False) -> None:
        self._folder = folder
        self._make = make

    def __enter__(self) -> int:
        found = _opened_at_once(self._folder)
        if found is None:
            found = _walked(self._folder, os.open("/", FOLDER), make=self._make)
        self._found = found
        return found

    def __exit__(self, *_: object) -> None:
        os.close(self._found)


def _opened_at_once(folder: str) -> int | None:
    """Open a folder of which the system itself says that it is where its path says; None where that stays open."""
    try:
        found = os.open(folder, FOLDER)
    except OSError:
        return None
    try:
        if os.readlink(f"/proc/self/fd/{found}") == folder:
            return found
    except OSError:
        pass
    os.close(found)
    return None


def below(name: str, above: int, *, make: bool = False) -> int:
    """Open a folder in an open one, by no link; `make` it where it is missing. Raises OSError."""
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=above)
    return os.open(name, FOLDER, dir_fd=above)


def _walked(path: str, start: int, *, make: bool) -> int:
    """Open a folder by its path from an open one, which is closed. Raises OSError."""
    found = start
    for part in path.split("/"):
        if part:
            try:
                deeper = below(part, found, make=make)
            finally:
                os.close(found)
            found = deeper
    return found


class DirectoryHandles:
    """A folder, opened past no link, and one after the other of those below it; what is missing is made.

    Only the last is open beside the first, because there may be more than a process may have open.
    """

    def __init__(self, folder: str) -> None:
        self._opening = opened(folder, make=True)
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> Self:
        self._first = self._opening.__enter__()
        return self

    def at(self, path: str) -> int:
        """Open one by its path from the first, empty for that itself. It is closed when the next is asked for."""
        if not path:
            return self._first
        if self._last is not None and self._last[0] == path:
            return self._last[1]
        self._close()
        found = _walked(path, os.open(".", FOLDER, dir_fd=self._first), make=True)
        self._last = path, found
        return found

    def _close(self) -> None:
        if self._last is not None:
            os.close(self._last[1])
            self._last = None

    def __exit__(self, *error: Any) -> None:
        self._close()
        self._opening.__exit__(*error)


def replace_file(path: str, data: bytes) -> None:
    """Write a file of its own at an absolute path, with missing folders; a link there goes. Raises OSError."""
    folder, _, name = path.rpartition("/")
    with opened(folder, make=True) as at:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=at)
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=at), "wb") as file:
            file.write(data)


def set_mode(name: str, mode: int, above: int) -> None:
    """Change the mode of what is in an open folder, never that of what a link leads to. Raises OSError."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=above, follow_symlinks=False)
        return
    handle = os.open(name, _HANDLE | os.O_NOFOLLOW, dir_fd=above)
    try:
        if stat.S_ISLNK(os.fstat(handle).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        os.chmod(f"/proc/self/fd/{handle}", mode)
    finally:
        os.close(handle)


def set_folder(handle: int, mode: int, time: int) -> None:
    """Change mode and time, in seconds, of an open folder. Raises OSError."""
    opened_again: int | str = f"/proc/self/fd/{handle}" if hasattr(os, "O_PATH") else handle
    os.utime(opened_again, (time, time))
    os.chmod(opened_again, mode)
