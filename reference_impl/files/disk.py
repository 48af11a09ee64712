"""Disk: the file system as the rules see it; a path is a string, and a final slash in it means a directory."""

# pathlib drops a final slash, and the system's answer depends on it.
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
    "entries",
    "exists",
    "is_circular",
    "is_directory",
    "is_file",
    "is_link",
    "is_socket",
    "is_special",
    "leads_to",
    "look",
    "look_into",
    "make_parents",
    "mode_of",
    "modified_at",
    "overwrite",
    "read",
    "remove",
    "replace",
    "size",
    "written_path",
]


def exists(path: str) -> bool:
    """Tell whether the path leads to something; a link to nothing does not."""
    return os.path.exists(path)


def look(path: str) -> bool:
    """Tell whether the path leads to something. OSError: the system does not say."""
    try:
        os.stat(path)
    except (FileNotFoundError, ValueError):  # the last is for a NUL character
        return False
    return True


def look_into(directory: str) -> None:
    """Open a directory, not for listing it, and close it again. OSError: there is none."""
    os.close(os.open(directory, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY))


def is_circular(path: str) -> bool:
    """Tell whether the links in a path go round in a circle."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def is_directory(path: str) -> bool:
    """Tell whether the path leads to a directory."""
    return os.path.isdir(path)


def is_file(path: str) -> bool:
    """Tell whether the path leads to a regular file."""
    return os.path.isfile(path)


def is_link(path: str) -> bool:
    """Tell whether the path itself is a symbolic link."""
    return os.path.islink(path)


def leads_to(path: str) -> str:
    """Return the path with every link in it followed. One with a NUL character leads nowhere else."""
    return path if "\0" in path else os.path.realpath(path)


def entries(directory: str) -> list[str]:
    """Return the names in a directory, sorted; none if it cannot be listed. Bytes that are no UTF-8 become U+FFFD."""
    try:
        return sorted(map(decode, os.listdir(os.fsencode(directory))))
    except OSError:
        return []


def size(path: str) -> int:
    """Return the size in bytes. OSError: no such file."""
    return os.stat(path).st_size


def modified_at(path: str) -> int:
    """Return the time of the last modification in nanoseconds. OSError: no such file."""
    return os.stat(path).st_mtime_ns


def mode_of(path: str) -> int:
    """Return the permissions of a file, setuid, setgid and sticky bit included. OSError: no such file."""
    return stat.S_IMODE(os.stat(path).st_mode)


def is_special(path: str) -> bool:
    """Tell whether the path leads to a device, a pipe or a socket: what may be read or written without an end."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_socket(path: str) -> bool:
    """Tell whether the path leads to a socket, which no program can open."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read(path: str) -> bytes:
    """Return the file's bytes; of the null device there are none. This never waits.

    OSError: it cannot be read, or it is a directory or a special file.
    """
    with open(path, "rb", buffering=0, opener=_opened_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(os.devnull)):
                return b""
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return file.read()


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for somebody at the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def make_parents(path: str, *, overlook: bool, private: bool, strict: bool) -> None:
    """Make the directories above a path that are missing. OSError: something else is in the way.

    `overlook` a link to nothing that is in the way. `private`: the new directories get the mode 0700. `strict`: a file
    in the place of the directory is an error here, not only where something is opened in it.
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
                os.stat(parent)  # a link that leads nowhere; what stops it is the answer


def _refuse_too_long(path: str) -> None:
    """Raise OSError for a path that the system does not take, before a part of it is made."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise


def overwrite(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Give a file new content in place, and a mode if there is one. OSError: it cannot be opened, or it is special."""
    if is_special(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    Path(path).write_bytes(data)
    if mode is not None:
        Path(path).chmod(mode)


def remove(path: str) -> None:
    """Remove a file. OSError: it cannot be removed."""
    os.unlink(path)


_NOT_BESIDE = (errno.ENAMETOOLONG, errno.ENOSPC)
_IN_PLACE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOSPC)
"""Why a new file cannot be made where the old one still can be written."""


@dataclass(frozen=True, slots=True)
class Replacing:
    """How one file takes the place of another.

    `into_nothing`: a link to nothing is followed, otherwise replaced. `private`: a file that was not there before gets
    the mode 0600. `plain`: one that was there loses its setuid, setgid and sticky bits. `beside`: until it is complete,
    the new file has the name of the old one with something added; where that is too long, or the disk is full, nothing
    is written. Otherwise the old file is then written in place.
    """

    into_nothing: bool
    private: bool
    plain: bool
    beside: bool


def replace(path: str, data: bytes, how: Replacing) -> None:
    """Give a file new content in one step: at any time it has either all the old bytes or all the new ones.

    A link is followed; of links to links the second is replaced. The mode is kept, and other hard links keep the old
    content. OSError: the old file is untouched, and no other file is left. Only where the directory takes no
    new file, or none of that name, or the disk has no room for both, a file is written in place, perhaps half of it;
    if it cannot be either, `beside` tells of the first. The error names no file where `path` itself is meant.
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
            file.flush()  # a write that came after the mode would take the setuid bit
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
    """Return the file to put in place: what a link names, itself perhaps a link."""
    if os.path.islink(path) and (how.into_nothing or os.path.exists(path)):
        return os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return path
