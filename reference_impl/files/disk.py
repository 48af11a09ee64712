"""Access to the file system for the rules of the tools. Paths are strings; a final slash means a directory."""

# pathlib drops a final slash, which changes the system's answer.
# ruff: noqa: PTH103, PTH105, PTH108, PTH110, PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from readfirst.reference_impl.text.content import decode

__all__ = [
    "Replacing",
    "directory_entries",
    "exists",
    "file_size",
    "is_circular",
    "is_directory",
    "is_file",
    "is_link",
    "is_socket",
    "is_special",
    "leads_to",
    "look_into",
    "make_parents",
    "mode_of",
    "modified_at",
    "overwrite",
    "path_exists",
    "read",
    "remove",
    "replace",
    "written_path",
]


def exists(path: str) -> bool:
    """Whether the path exists. False for a dangling link."""
    return os.path.exists(path)


def path_exists(path: str) -> bool:
    """Whether the path exists. Raises OSError if the system cannot determine it."""
    try:
        os.stat(path)
    except (FileNotFoundError, ValueError):  # the last is for a NUL character
        return False
    return True


def look_into(directory: str) -> None:
    """Open and close a directory without listing it. Raises OSError if it does not exist."""
    os.close(os.open(directory, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY))


def is_circular(path: str) -> bool:
    """Whether the links in a path form a loop."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def is_directory(path: str) -> bool:
    """Whether the path leads to a directory."""
    return os.path.isdir(path)


def is_file(path: str) -> bool:
    """Whether the path leads to a regular file."""
    return os.path.isfile(path)


def is_link(path: str) -> bool:
    """Whether the path itself is a symbolic link."""
    return os.path.islink(path)


def leads_to(path: str) -> str:
    """Return the path with every link resolved. A path with a NUL character is returned unchanged."""
    return path if "\0" in path else os.path.realpath(path)


def directory_entries(directory: str) -> list[str]:
    """Return the sorted names in a directory. Empty if it cannot be listed. Invalid UTF-8 becomes U+FFFD."""
    try:
        return sorted(map(decode, os.listdir(os.fsencode(directory))))
    except OSError:
        return []


def file_size(path: str) -> int:
    """Return the size in bytes. Raises OSError for a missing file."""
    return os.stat(path).st_size


def modified_at(path: str) -> int:
    """Return the time of the last modification in nanoseconds. Raises OSError for a missing file."""
    return os.stat(path).st_mtime_ns


def mode_of(path: str) -> int:
    """Return the mode of a file, including setuid, setgid and sticky bit. Raises OSError for a missing file."""
    return stat.S_IMODE(os.stat(path).st_mode)


def is_special(path: str) -> bool:
    """Whether the path leads to a device, a pipe or a socket, which may be endless."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_socket(path: str) -> bool:
    """Whether the path leads to a socket, which cannot be opened."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read(path: str) -> bytes:
    """Return the file's bytes. Empty for the null device. Never blocks.

    Raises OSError if it cannot be read, or is a directory or a special file.
    """
    with open(path, "rb", buffering=0, opener=_opened_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(os.devnull)):
                return b""
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return file.read()


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def make_parents(path: str, *, overlook: bool, private: bool, strict: bool) -> None:
    """Create missing parent directories. Raises OSError if another entry is in the way.

    `overlook`: a dangling link in place of a directory is not an error. `private`: new directories get the mode 0700.
    `strict`: a file in place of a directory is an error now, instead of when a file in the directory is opened.
    """
    parent = os.path.dirname(path.rstrip("/"))
    if strict and os.path.isfile(parent):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), parent)
    if not os.path.exists(parent):
        _refuse_too_long(parent)
        missing = [each for each in (Path(parent), *Path(parent).parents) if not each.exists()]
        try:
            os.makedirs(parent)
            for each in missing if private else ():
                each.chmod(0o700)
        except FileExistsError:
            if not overlook:
                os.stat(parent)  # a dangling link; its error is the answer


def _refuse_too_long(path: str) -> None:
    """Raise OSError for a path that is too long, before a part of it is created."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise


def overwrite(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of a file in place, and optionally its mode. Raises OSError, also for special files."""
    if is_special(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    Path(path).write_bytes(data)
    if mode is not None:
        Path(path).chmod(mode)


def remove(path: str) -> None:
    """Remove a file. Raises OSError if it cannot be removed."""
    os.unlink(path)


_NOT_BESIDE = (errno.ENAMETOOLONG, errno.ENOSPC)
_IN_PLACE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOSPC)
"""Errors of creating a new file that do not exclude writing the old file."""


@dataclass(frozen=True, slots=True)
class Replacing:
    """Options for replacing one file by another.

    `into_nothing`: a dangling link is followed; without it, the link is replaced. `private`: a new file gets the
    mode 0600. `plain`: an existing file loses setuid, setgid and sticky bits. `beside`: the temporary file has
    the name of the file with a suffix. If this name is too long, or the disk is full, nothing is written with
    `beside`; without it, the old file is written in place.
    """

    into_nothing: bool
    private: bool
    plain: bool
    beside: bool


def replace(path: str, data: bytes, how: Replacing) -> None:
    """Replace the content of a file atomically: the file always has either all old bytes or all new bytes.

    A link is followed; for a link to a link, the second link is replaced. The mode is kept, and other hard links
    keep the old content. If OSError is raised, the old file is unchanged, and no temporary file is left. If the
    directory allows no new file, or not this name, or the disk has no space for both files, the file is written
    in place, possibly only partially. If the file can be neither replaced nor written in place, `beside` raises
    the error of the replacement. The error has no file name if it concerns `path` itself.
    """
    target = written_path(path, how)
    if os.path.isdir(target) or (path.endswith("/") and not how.beside):
        raise IsADirectoryError(errno.EISDIR)
    try:
        _put_in_place(target, data, how)
    except OSError as error:
        error.filename = error.filename if how.beside else None
        if error.errno not in _IN_PLACE or (error.errno in _NOT_BESIDE and how.beside):
            raise
        mode = 0o600 if how.private and not os.path.exists(target) else None
        try:
            overwrite(target, data, mode=mode)
        except OSError:
            if how.beside:
                raise error from None
            raise


def _put_in_place(target: str, data: bytes, how: Replacing) -> None:
    temporary = f"{target}.tmp.{os.getpid()}.{os.urandom(6).hex()}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()  # a write after the change of mode would clear the setuid bit
            if os.path.exists(target):
                mode = stat.S_IMODE(os.stat(target).st_mode)
                os.fchmod(file.fileno(), mode & 0o777 if how.plain else mode)
            elif how.private:
                os.fchmod(file.fileno(), 0o600)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def written_path(path: str, how: Replacing) -> str:
    """Return the file to replace: the target of a link, which may itself be a link."""
    if os.path.islink(path) and (how.into_nothing or os.path.exists(path)):
        return os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return path
