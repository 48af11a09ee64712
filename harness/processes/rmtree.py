"""Remove a directory tree, whatever an implementation made of it, without following links."""

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

from readfirst.harness.processes.safe_open import opened, set_mode

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_ROUNDS = 5
"""Maximum number of attempts if files are created during the removal."""
_GET_FLAGS, _SET_FLAGS = 0x8008_6601, 0x4008_6602
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20
_numbers = itertools.count()


def empty(directory: str, names: Collection[str] | None = None) -> None:
    """Remove the content of a directory whose path contains no link, or only the entries with these names.

    Directories without permissions get them. Raises OSError, and RecursionError for a tree that is too deep.
    """
    above, name = os.path.split(directory)
    with opened(above) as parent:
        descriptor = os.open(name, _OPEN, dir_fd=parent)
        try:
            _empty(descriptor, names)
        finally:
            os.close(descriptor)


def destroy(directory: str, *, last: str = "") -> None:
    """Remove a directory, or the entry at its path, even if it is very deep, locked or immutable.

    Slower than `empty`. A missing path is not an error. A file named `last` in it is removed last. Raises
    OSError for entries that cannot be removed.
    """
    above, name = os.path.split(directory)
    try:
        parent = os.open(above, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        for left in reversed(range(_ROUNDS)):
            try:
                _destroy(parent, name, last)
            except OSError as error:
                # Another process still writes into it, or removes it too.
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT) or not left:
                    raise
            else:
                return
    finally:
        os.close(parent)


def _empty(descriptor: int, names: Collection[str] | None = None) -> None:
    _unlock(descriptor)
    with os.scandir(descriptor) as listing:
        found = [entry for entry in listing if names is None or entry.name in names]
    for entry in found:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=descriptor)
        else:
            below = _opened(entry.name, descriptor)
            try:
                _empty(below)
            finally:
                os.close(below)
            os.rmdir(entry.name, dir_fd=descriptor)


def _opened(name: str, above: int) -> int:
    try:
        return os.open(name, _OPEN, dir_fd=above)
    except PermissionError:
        set_mode(name, 0o755, above)
        return os.open(name, _OPEN, dir_fd=above)


def _unlock(descriptor: int) -> None:
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o700 != 0o700:
        os.fchmod(descriptor, 0o755)


def _destroy(parent: int, name: str, last: str) -> None:
    """Move every directory up to the first level before it is removed, so that depth does not matter."""
    try:
        top = _opened(name, parent)
    except FileNotFoundError:
        return
    except OSError:
        _forced(lambda: os.unlink(name, dir_fd=parent), name, parent)
        return
    try:
        _forced(lambda: _unlock(top), name, parent)
        there = os.listdir(top)
        pending = [each for each in there if each != last]
        for each in pending:
            pending.extend(_flattened(each, top))
        if last in there:
            _flattened(last, top)
    finally:
        os.close(top)
    _forced(lambda: os.rmdir(name, dir_fd=parent), name, parent)


def _flattened(name: str, top: int) -> list[str]:
    """Remove one entry of `top`. Return the new names, in `top`, of the directories that it contained."""
    try:
        directory = _opened(name, top)
    except OSError:
        _forced(lambda: os.unlink(name, dir_fd=top), name, top)
        return []
    moved = []
    try:
        _forced(lambda: _unlock(directory), name, top)
        with os.scandir(directory) as listing:
            found = list(listing)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                moved.append(f"{os.getpid()}-{next(_numbers)}")
                move = partial(os.rename, entry.name, moved[-1], src_dir_fd=directory, dst_dir_fd=top)
                with suppress(PermissionError):  # a directory without write permission cannot be moved
                    set_mode(entry.name, 0o755, directory)
                _forced(move, entry.name, directory)
            else:
                _forced(partial(os.unlink, entry.name, dir_fd=directory), entry.name, directory)
    finally:
        os.close(directory)
    _forced(lambda: os.rmdir(name, dir_fd=top), name, top)
    return moved


def _forced(action: Callable[[], None], name: str, above: int) -> None:
    """Perform an action. If the system forbids it, clear the attributes of the entry and its directory, and
    retry.
    """
    try:
        action()
    except PermissionError:
        _unmark(above)
        with suppress(OSError):
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=above)
            try:
                _unmark(handle)
            finally:
                os.close(handle)
        action()


def _unmark(descriptor: int) -> None:
    """Clear the attributes that prevent even the owner from removing a file: immutable, append-only."""
    flags = array.array("l", [0])
    with suppress(OSError):
        fcntl.ioctl(descriptor, _GET_FLAGS, flags)
        if flags[0] & (_IMMUTABLE | _APPEND_ONLY):
            flags[0] &= ~(_IMMUTABLE | _APPEND_ONLY)
            fcntl.ioctl(descriptor, _SET_FLAGS, flags)
