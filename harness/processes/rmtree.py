"""Remove a directory tree, even if it is very deep, lacks permissions, or is immutable, without following links."""

# Plain `os` calls: removal runs after every scenario, with names relative to open directories.
# ruff: noqa: PTH208

import array
import errno
import fcntl
import itertools
import os
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial

from readfirst.harness.processes.safe_open import open_directory, set_mode

_OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_MAX_ATTEMPTS = 5
"""Maximum number of attempts to remove a directory while another process creates files in it."""
_GET_FLAGS, _SET_FLAGS = 0x8008_6601, 0x4008_6602
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20
_CONCURRENT = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR)
"""Errors to ignore during the removal: another process changes the directory at the same time."""
_name_numbers = itertools.count()


def empty(directory: str, names: Collection[str] | None = None) -> None:
    """Remove everything in a directory, or only `names`, even without the necessary permissions. Raises OSError."""
    above, name = os.path.split(directory)
    with open_directory(above) as parent:
        top = os.open(name, _OPEN_FLAGS, dir_fd=parent)
    try:
        _make_accessible(top)
        _remove_content(top, names)
    finally:
        os.close(top)


def destroy(directory: str, *, last: str = "") -> None:
    """Remove the directory, file or link at a path, if any. `last` is a file to remove last. Raises OSError."""
    above, name = os.path.split(directory)
    try:
        parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        for attempts_left in reversed(range(_MAX_ATTEMPTS)):
            try:
                _remove_deep_tree(parent, name, last)
            except OSError as error:
                # Another process still writes into it, or removes it too.
                if error.errno not in _CONCURRENT or not attempts_left:
                    raise
            else:
                return
    finally:
        os.close(parent)


def _remove_content(top: int, names: Collection[str] | None = None) -> None:
    """Remove `names` (None: everything) in the open directory `top`. Subdirectories are first moved into `top`."""
    pending = _remove_files(top, top, names)
    for name in pending:
        directory = _open_directory(name, top)
        try:
            _retry_without_attributes(partial(_make_accessible, directory), name, top)
            pending.extend(_remove_files(directory, top))
        finally:
            os.close(directory)
        _retry_without_attributes(partial(os.rmdir, name, dir_fd=top), name, top)


def _remove_files(directory: int, top: int, names: Collection[str] | None = None) -> list[str]:
    """Remove an open directory's files. Move its subdirectories into `top`, and return their new names."""
    with os.scandir(directory) as listing:
        entries = [entry for entry in listing if names is None or entry.name in names]
    moved = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            moved.append(f"{os.getpid()}-{next(_name_numbers)}")
            move = partial(os.rename, entry.name, moved[-1], src_dir_fd=directory, dst_dir_fd=top)
            with suppress(PermissionError):  # a directory without write permission cannot be moved
                set_mode(entry.name, 0o755, directory)
            _retry_without_attributes(move, entry.name, directory)
        else:
            _retry_without_attributes(partial(os.unlink, entry.name, dir_fd=directory), entry.name, directory)
    return moved


def _open_directory(name: str, above: int) -> int:
    try:
        return os.open(name, _OPEN_FLAGS, dir_fd=above)
    except PermissionError:
        set_mode(name, 0o755, above)
        return os.open(name, _OPEN_FLAGS, dir_fd=above)


def _make_accessible(descriptor: int) -> None:
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o700 != 0o700:
        os.fchmod(descriptor, 0o755)


def _remove_deep_tree(parent: int, name: str, last: str) -> None:
    try:
        top = _open_directory(name, parent)
    except FileNotFoundError:
        return
    except OSError:
        _retry_without_attributes(lambda: os.unlink(name, dir_fd=parent), name, parent)
        return
    try:
        _retry_without_attributes(lambda: _make_accessible(top), name, parent)
        names = os.listdir(top)
        _remove_content(top, {*names} - {last})
        if last in names:
            os.unlink(last, dir_fd=top)
    finally:
        os.close(top)
    _retry_without_attributes(lambda: os.rmdir(name, dir_fd=parent), name, parent)


def _retry_without_attributes(action: Callable[[], None], name: str, above: int) -> None:
    """Call `action`, which changes the file or directory `name` in the open directory `above`. If the change is not
    permitted, clear the attributes `immutable` and `append-only` of `name` and `above`, and call `action` again.
    """
    try:
        action()
    except PermissionError:
        _clear_attributes(above)
        with suppress(OSError):
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=above)
            try:
                _clear_attributes(handle)
            finally:
                os.close(handle)
        action()


def _clear_attributes(descriptor: int) -> None:
    """Clear the attributes `immutable` and `append-only`, which prevent a removal even by the owner."""
    flags = array.array("l", [0])
    with suppress(OSError):
        fcntl.ioctl(descriptor, _GET_FLAGS, flags)
        if flags[0] & (_IMMUTABLE | _APPEND_ONLY):
            flags[0] &= ~(_IMMUTABLE | _APPEND_ONLY)
            fcntl.ioctl(descriptor, _SET_FLAGS, flags)
