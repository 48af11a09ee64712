"""Snapshot: every path below a directory with its bytes, type, mode and link target, trusting no times."""

# Plain `os` calls on strings: they run once per path and step, and pathlib takes several times as long.
# ruff: noqa: PTH101, PTH115

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from harness.entry import Directory, Entry, RegularFile, SpecialFile, Symlink

__all__ = ["MAXIMUM_FILE_SIZE", "changes", "scan", "snapshot"]

MAXIMUM_FILE_SIZE = 256 * 1024 * 1024
"""A larger file (bytes) is recorded by its size alone: an implementation that writes one must not stop us."""


def snapshot(root: str | os.PathLike[str]) -> dict[str, Entry]:
    """Return every path below `root`, relative and `/`-separated, with its state; `root` itself is left out.

    Links are never followed. All bytes are read every time, because a changed file may carry an old time.
    The target of an absolute link into `root` begins with `$WS`. A directory or file without read permission
    is made readable for the moment. Fifos, sockets and devices are named, not opened. A `root` that is no
    directory gives the single path `.`.
    """
    top = os.fspath(root)
    entries: dict[str, Entry] = {}
    try:
        scan(top, "", entries, top)
    except FileNotFoundError:
        return {".": SpecialFile("missing")}
    except NotADirectoryError:
        return {".": SpecialFile("no directory")}
    return entries


def changes(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Entry | None]:
    """Return what differs: each path with its new state, None where it is gone; sorted by path."""
    differing = {path for path, entry in after.items() if before.get(path) != entry}
    differing.update(path for path in before if path not in after)
    return {path: after.get(path) for path in sorted(differing)}


def scan(directory: str, prefix: str, entries: dict[str, Entry], top: str) -> None:
    """Add what lies below `directory` to `entries`, each path with `prefix` in front; `top` becomes `$WS`."""
    try:
        _scan(directory, prefix, entries, top)
    except PermissionError:
        mode = stat.S_IMODE(os.lstat(directory).st_mode)
        if mode & 0o700 == 0o700:
            raise
        os.chmod(directory, mode | 0o700)
        try:
            _scan(directory, prefix, entries, top)
        finally:
            os.chmod(directory, mode)


def _scan(directory: str, prefix: str, entries: dict[str, Entry], top: str) -> None:
    with os.scandir(directory) as listing:
        for found in listing:
            path = prefix + found.name
            status = found.stat(follow_symlinks=False)
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISREG(status.st_mode):
                if status.st_size > MAXIMUM_FILE_SIZE:
                    entries[path] = SpecialFile(f"file of {status.st_size} bytes")
                else:
                    entries[path] = RegularFile(_data(found.path, mode, status.st_size), mode)
            elif stat.S_ISDIR(status.st_mode):
                entries[path] = Directory(mode)
                scan(found.path, path + "/", entries, top)
            elif stat.S_ISLNK(status.st_mode):
                target = os.readlink(found.path)
                if target == top or target.startswith(top + "/"):
                    target = "$WS" + target[len(top) :]
                entries[path] = Symlink(target)
            else:
                entries[path] = SpecialFile(_kind(status.st_mode))


def _data(path: str, mode: int, size: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except PermissionError:
        if mode & 0o400:
            raise
        os.chmod(path, mode | 0o400)
        try:
            return _data(path, mode | 0o400, size)
        finally:
            os.chmod(path, mode)
    try:
        data = os.read(descriptor, size + 1)
        while len(data) < size and (more := os.read(descriptor, size)):
            data += more
        return data
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"
