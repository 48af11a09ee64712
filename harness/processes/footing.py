"""Footing: folders opened past no link, so that what is done in them is done nowhere else.

Whoever writes in a folder may put a link in its place at any moment, also between a look at it and a deed. A path whose
folders are opened one after the other, none by way of a link, leads where it says or nowhere.
"""

# ruff: noqa: PTH101, PTH115

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_HANDLE = getattr(os, "O_PATH", os.O_RDONLY)
"""How a thing is opened that perhaps may not be read."""
_FOLDER = _HANDLE | os.O_DIRECTORY | os.O_NOFOLLOW


@contextmanager
def opened(folder: str, *, make: bool = False) -> Iterator[int]:
    """Open a folder by its absolute path, in which no part is a link; `make` what is missing. Raises OSError."""
    found = _opened_at_once(folder)
    try:
        if found is not None:
            yield found
            return
        found = os.open("/", _FOLDER)
        for part in folder.split("/"):
            if part:
                below = _below(part, found, make)
                os.close(found)
                found = below
        yield found
    finally:
        if found is not None:
            os.close(found)


def _opened_at_once(folder: str) -> int | None:
    """Open a folder of which the system itself says that it is where its path says; None where that stays open."""
    try:
        found = os.open(folder, _FOLDER)
    except OSError:
        return None
    try:
        if os.readlink(f"/proc/self/fd/{found}") == folder:
            return found
    except OSError:
        pass
    os.close(found)
    return None


def _below(name: str, above: int, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=above)
    return os.open(name, _FOLDER, dir_fd=above)


def write_anew(path: str, data: bytes) -> None:
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
