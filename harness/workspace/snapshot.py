"""Snapshot: every path below a directory with bytes, type, mode, owner, link target and stamp, trusting no times."""

# Plain `os` calls on strings: they run once per path and step, and pathlib takes several times as long.
# ruff: noqa: PTH115

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping

from readfirst.harness.processes.footing import opened, set_mode
from readfirst.harness.suite.entry import Directory, Entry, RegularFile, SpecialFile, Stamp, Symlink
from readfirst.harness.suite.ownership import ACL, USER, Ownership

MAXIMUM_FILE_SIZE = 256 * 1024 * 1024
"""A larger file (bytes) is recorded by its size alone: an implementation that writes one must not stop us."""
MAXIMUM_SIZE = 1024 * 1024 * 1024
"""All files together (bytes), without the larger ones."""
MAXIMUM_ENTRIES = 20_000


class TooLargeError(Exception):
    """There is more below a directory than anybody can want to compare."""


def snapshot(root: str | os.PathLike[str]) -> dict[str, Entry]:
    """Return every path below `root`, relative and `/`-separated, with its state; `root` itself is left out.

    Links are never followed. All bytes are read every time, because a changed file may carry an old time.
    The target of an absolute link into `root` begins with `$WS`. A directory or file without read permission
    is made readable for the moment. Fifos, sockets and devices are named, not opened. A `root` that is no
    directory, or a link to one, gives the single path `.`. Raises OSError, RecursionError, TooLargeError.
    """
    top = os.fspath(root)
    entries: dict[str, Entry] = {}
    try:
        if stat.S_ISLNK(os.lstat(top).st_mode):
            return {".": Symlink(os.readlink(top))}
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


def scan(
    directory: str, prefix: str, entries: dict[str, Entry], top: str, *, names: Collection[str] | None = None
) -> None:
    """Add what lies below `directory` to `entries`, each path with `prefix` in front; `top` becomes `$WS`.

    `names` are the entries of the directory to look at, None: all.
    """
    folder, name = os.path.split(directory)
    with opened(folder) as above:
        _Scan(entries, top).directory(name, above, prefix, names)


class _Scan:
    def __init__(self, entries: dict[str, Entry], top: str) -> None:
        self.entries = entries
        self.top = top
        self.bytes = 0

    def directory(self, name: str, above: int, prefix: str, names: Collection[str] | None = None) -> None:
        """Add what is below a directory in an open folder."""
        try:
            self._directory(name, above, prefix, names)
        except PermissionError:
            mode = stat.S_IMODE(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)
            if mode & 0o700 == 0o700:
                raise
            set_mode(name, mode | 0o700, above)
            try:
                self._directory(name, above, prefix, names)
            finally:
                set_mode(name, mode, above)

    def _directory(self, name: str, above: int, prefix: str, names: Collection[str] | None) -> None:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        try:
            with os.scandir(folder) as listing:
                entries = [entry for entry in listing if names is None or entry.name in names]
            for entry in entries:
                self._entry(entry, folder, prefix + entry.name)
        finally:
            os.close(folder)

    def _entry(self, found: os.DirEntry[str], folder: int, path: str) -> None:
        status = found.stat(follow_symlinks=False)
        mode = stat.S_IMODE(status.st_mode)
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFREG:
            self.entries[path] = self._file(found.name, folder, mode, status)
        elif kind == stat.S_IFDIR:
            ids = _ids(status)
            self.entries[path] = Directory(mode, None if ids == (None, None) else Ownership(*ids))
            self.directory(found.name, folder, path + "/")
        elif kind == stat.S_IFLNK:
            target = os.readlink(found.name, dir_fd=folder)
            if target == self.top or target.startswith(self.top + "/"):
                target = "$WS" + target[len(self.top) :]
            self.entries[path] = Symlink(target)
        else:
            self.entries[path] = SpecialFile(_kind(status.st_mode))
        if len(self.entries) > MAXIMUM_ENTRIES:
            raise TooLargeError(f"there are more than {MAXIMUM_ENTRIES} files in it")

    def _file(self, name: str, folder: int, mode: int, status: os.stat_result) -> Entry:
        size = status.st_size
        if size > MAXIMUM_FILE_SIZE:
            return SpecialFile(f"file of {size} bytes")
        self.bytes += size
        if self.bytes > MAXIMUM_SIZE:
            raise TooLargeError(f"its files hold more than {MAXIMUM_SIZE} bytes")
        stamp = Stamp(status.st_ino, status.st_nlink, status.st_mtime_ns)
        data, ownership = _data(name, folder, mode, size, _ids(status))
        return RegularFile(data, mode, None, stamp, ownership)


def ownership_at(path: str) -> Ownership | None:
    """Return whose the file at a path is, and its attributes; None: the runner's own, without any. Raises OSError."""
    above, name = os.path.split(path)
    with opened(above) as folder:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return _data(name, folder, stat.S_IMODE(status.st_mode), 0, _ids(status))[1]


def _ids(status: os.stat_result) -> tuple[int | None, int | None]:
    """Return owner and group of a file or directory, None where they are those of this process."""
    owner = None if status.st_uid == os.geteuid() else status.st_uid
    return owner, None if status.st_gid == os.getegid() else status.st_gid


def _data(
    name: str, folder: int, mode: int, size: int, ids: tuple[int | None, int | None]
) -> tuple[bytes, Ownership | None]:
    """Return the bytes of a file, and whose it is, unless it is the runner's own."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except PermissionError:
        if mode & 0o400:
            raise
        set_mode(name, mode | 0o400, folder)
        try:
            return _data(name, folder, mode | 0o400, size, ids)
        finally:
            set_mode(name, mode, folder)
    try:
        data = os.read(descriptor, size + 1)
        while len(data) < size and (more := os.read(descriptor, size)):
            data += more
        attributes = _attributes(descriptor)
        return data, Ownership(*ids, attributes) if attributes or ids != (None, None) else None
    finally:
        os.close(descriptor)


def _attributes(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """Return a file's extended attributes by their names; none where the system, or its disk, has none."""
    try:
        names = os.listxattr(descriptor)
    except (OSError, AttributeError):
        return ()
    read = (name for name in sorted(names) if name.startswith(USER) or name == ACL)
    return tuple((name, os.getxattr(descriptor, name)) for name in read)


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"
