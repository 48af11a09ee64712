"""Open directories without following symlinks, so that file operations cannot escape them. Another process may create a
link at any moment. Therefore each directory of a path is opened inside the previous one, and a link makes the opening
fail.
"""

# ruff: noqa: PTH101

import errno
import os
import stat
from contextlib import suppress
from typing import Any, Self

_HANDLE_FLAGS = getattr(os, "O_PATH", os.O_RDONLY)
"""Flags that are passed to `os.open` to open a file or directory without permission to read it."""
DIRECTORY_FLAGS = _HANDLE_FLAGS | os.O_DIRECTORY | os.O_NOFOLLOW
"""Flags that are passed to `os.open` to open a directory. With these flags, opening a link to a directory fails."""


class open_directory:  # noqa: N801 - it is used like a function; a class, because it is around every snapshot
    """Context manager that opens a directory by its absolute path, and yields the descriptor. With `make`, missing
    directories are created. Raises OSError, also for a link in the path.
    """

    __slots__ = ("_descriptor", "_folder", "_make")

    def __init__(self, folder: str, *, make: bool = False) -> None:
        self._folder = folder
        self._make = make

    def __enter__(self) -> int:
        self._descriptor = _open_by_steps(self._folder, os.open("/", DIRECTORY_FLAGS), make=self._make)
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def open_subdirectory(name: str, above: int, *, make: bool = False) -> int:
    """Open the directory `name` (not a link) in `above`. With `make`, it is created if missing. Raises OSError."""
    try:
        return os.open(name, DIRECTORY_FLAGS, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=above)
    return os.open(name, DIRECTORY_FLAGS, dir_fd=above)


def _open_by_steps(path: str, start: int, *, make: bool) -> int:
    """Open each directory of a path below `start`. Close `start`, return the last descriptor. Raises OSError."""
    descriptor = start
    for part in path.split("/"):
        if part:
            try:
                deeper = open_subdirectory(part, descriptor, make=make)
            finally:
                os.close(descriptor)
            descriptor = deeper
    return descriptor


class DirectoryHandles:
    """Opens subdirectories of one directory, to write files in them. Missing subdirectories are created."""

    def __init__(self, folder: str) -> None:
        self._opening = open_directory(folder, make=True)
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> Self:
        self._first = self._opening.__enter__()
        return self

    def at(self, path: str) -> int:
        """Return the descriptor of the subdirectory `path`, or of the directory itself if `path` is empty. A call with
        a different path closes the descriptor.
        """
        if not path:
            return self._first
        if self._last is not None and self._last[0] == path:
            return self._last[1]
        self._close_last()  # the number of open files is limited
        descriptor = _open_by_steps(path, os.open(".", DIRECTORY_FLAGS, dir_fd=self._first), make=True)
        self._last = path, descriptor
        return descriptor

    def _close_last(self) -> None:
        if self._last is not None:
            os.close(self._last[1])
            self._last = None

    def __exit__(self, *error: Any) -> None:
        self._close_last()
        self._opening.__exit__(*error)


def replace_file(path: str, data: bytes) -> None:
    """Replace the file or link at an absolute path, and create missing directories. Raises OSError."""
    folder, _, name = path.rpartition("/")
    with open_directory(folder, make=True) as at:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=at)
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=at), "wb") as file:
            file.write(data)


def set_mode(name: str, mode: int, above: int) -> None:
    """Change the mode of a file or directory in the directory `above`, but not through a link. Raises OSError."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=above, follow_symlinks=False)
        return
    handle = os.open(name, _HANDLE_FLAGS | os.O_NOFOLLOW, dir_fd=above)
    try:
        if stat.S_ISLNK(os.fstat(handle).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        os.chmod(f"/proc/self/fd/{handle}", mode)
    finally:
        os.close(handle)


def set_directory_mode_and_time(fd: int, mode: int, time: int) -> None:
    """Change the mode and the times (in seconds since 1970) of an open directory. Raises OSError."""
    target: int | str = f"/proc/self/fd/{fd}" if hasattr(os, "O_PATH") else fd
    os.utime(target, (time, time))
    os.chmod(target, mode)
