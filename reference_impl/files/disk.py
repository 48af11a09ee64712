"""File system access that the tools use. Paths are strings, because a slash at the end means a directory."""

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
    "ReplaceOptions",
    "check_directory_opens",
    "directory_entries",
    "exists",
    "file_size",
    "has_link_loop",
    "is_directory",
    "is_file",
    "is_link",
    "is_socket",
    "is_special",
    "make_parents",
    "mode_of",
    "modified_at",
    "overwrite",
    "path_exists",
    "path_to_replace",
    "read",
    "remove",
    "replace",
    "resolve_links",
]


def exists(path: str) -> bool:
    """Whether a path exists. False for a link whose target is missing."""
    return os.path.exists(path)


def path_exists(path: str) -> bool:
    """Whether a path exists. Raises OSError if the system cannot determine this, for example without permission."""
    try:
        os.stat(path)
    except (FileNotFoundError, ValueError):  # the last is for a NUL character
        return False
    return True


def check_directory_opens(directory: str) -> None:
    """Raise OSError if a directory cannot be opened. The directory is not listed."""
    os.close(os.open(directory, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY))


def has_link_loop(path: str) -> bool:
    """Whether the symbolic links in a path form a loop."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def is_directory(path: str) -> bool:
    """Whether a path leads to a directory. Links are followed."""
    return os.path.isdir(path)


def is_file(path: str) -> bool:
    """Whether a path leads to a regular file. Links are followed."""
    return os.path.isfile(path)


def is_link(path: str) -> bool:
    """Whether a path is a symbolic link. A path below a link to a directory is not itself a link."""
    return os.path.islink(path)


def resolve_links(path: str) -> str:
    """Return the path with every symbolic link resolved. A path with a NUL character is returned unchanged."""
    return path if "\0" in path else os.path.realpath(path)


def directory_entries(directory: str) -> list[str]:
    """Return the sorted names in a directory, with U+FFFD for invalid UTF-8. Empty if it cannot be listed."""
    try:
        return sorted(map(decode, os.listdir(os.fsencode(directory))))
    except OSError:
        return []


def file_size(path: str) -> int:
    """Return the size of a file in bytes. Raises OSError for a missing file."""
    return os.stat(path).st_size


def modified_at(path: str) -> int:
    """Return the modification time of a file in nanoseconds. Raises OSError for a missing file."""
    return os.stat(path).st_mtime_ns


def mode_of(path: str) -> int:
    """Return the mode of a file, including setuid, setgid and sticky bit. Raises OSError for a missing file."""
    return stat.S_IMODE(os.stat(path).st_mode)


def is_special(path: str) -> bool:
    """Whether the path leads to a device, a pipe or a socket, whose content may be endless."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_socket(path: str) -> bool:
    """Whether the path leads to a socket."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read(path: str) -> bytes:
    """Return the bytes of a file. Never waits for a pipe. Raises OSError, also for a directory or a special file."""
    with open(path, "rb", buffering=0, opener=_open_nonblocking) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(os.devnull)):
                return b""
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return file.read()


def _open_nonblocking(path: str, flags: int) -> int:
    """Open a file. If the file is a pipe, do not wait for the program at its other end."""
    return os.open(path, flags | os.O_NONBLOCK)


def make_parents(path: str, *, ignore_dangling: bool, private_mode: bool, check_parent: bool) -> None:
    """Create the missing parent directories of a path. Raises OSError if a file or, unless `ignore_dangling`, a
    dangling link prevents this. `private_mode`: new directories get the mode 0700. `check_parent`: the parent must not
    be a file.
    """
    parent = os.path.dirname(path.rstrip("/"))
    if check_parent and os.path.isfile(parent):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), parent)
    if not os.path.exists(parent):
        _raise_if_too_long(parent)
        missing = [each for each in (Path(parent), *Path(parent).parents) if not each.exists()]
        try:
            os.makedirs(parent)
            for each in missing if private_mode else ():
                each.chmod(0o700)
        except FileExistsError:
            if not ignore_dangling:
                os.stat(parent)  # a dangling link; its error is the answer


def _raise_if_too_long(path: str) -> None:
    """Raise OSError if the path of a directory is too long. Called before any part of the path is created."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise


def overwrite(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of a file in place, and its mode if given. Raises OSError, also for special files."""
    if is_special(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    Path(path).write_bytes(data)
    if mode is not None:
        Path(path).chmod(mode)


def remove(path: str) -> None:
    """Remove a file. Raises OSError if it cannot be removed."""
    os.unlink(path)


_ERRNOS_OF_TEMPORARY_FILE = (errno.ENAMETOOLONG, errno.ENOSPC)
"""Error numbers that mean that the name of the temporary file is too long, or that the disk is full."""
_IN_PLACE_ERRNOS = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOSPC)
"""Error numbers. If creating a temporary file fails with one of them, the old file is overwritten in place."""


@dataclass(frozen=True, slots=True)
class ReplaceOptions:
    """Options of `replace` for links, modes and full disks."""

    # follow a dangling link, instead of replacing the link
    follow_dangling: bool
    # a new file gets the mode 0600
    private_mode: bool
    # an existing file loses setuid, setgid and sticky bit
    drop_special_bits: bool
    # no write in place if the temporary file's name is too long, or the disk is full
    suffixed_name: bool


def replace(path: str, data: bytes, options: ReplaceOptions) -> None:
    """Replace the content of a file atomically: at any moment, the file contains either all old bytes or all new bytes.

    A symbolic link is followed; if its target is a link, too, this second link is replaced. The mode is kept, and other
    hard links keep the old content. If no temporary file can be created, or the disk lacks space for both files, the
    file is written in place, possibly only partially. Raises OSError.
    """
    target = path_to_replace(path, options)
    if os.path.isdir(target) or (path.endswith("/") and not options.suffixed_name):
        raise IsADirectoryError(errno.EISDIR)
    try:
        _replace_atomically(target, data, options)
    except OSError as error:
        error.filename = error.filename if options.suffixed_name else None
        if error.errno not in _IN_PLACE_ERRNOS or (
            error.errno in _ERRNOS_OF_TEMPORARY_FILE and options.suffixed_name
        ):
            raise
        mode = 0o600 if options.private_mode and not os.path.exists(target) else None
        try:
            overwrite(target, data, mode=mode)
        except OSError:
            if options.suffixed_name:
                raise error from None
            raise


def _replace_atomically(target: str, data: bytes, options: ReplaceOptions) -> None:
    temporary = f"{target}.tmp.{os.getpid()}.{os.urandom(6).hex()}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()  # a write after the change of mode would clear the setuid bit
            if os.path.exists(target):
                mode = stat.S_IMODE(os.stat(target).st_mode)
                os.fchmod(file.fileno(), mode & 0o777 if options.drop_special_bits else mode)
            elif options.private_mode:
                os.fchmod(file.fileno(), 0o600)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def path_to_replace(path: str, options: ReplaceOptions) -> str:
    """Return the file that `replace` replaces: `path`, or the target of a symbolic link, which may itself be a link."""
    if os.path.islink(path) and (options.follow_dangling or os.path.exists(path)):
        return os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return path
