"""Snapshots of a workspace: for every path its type, bytes, mode, owner, link target and times. Steps are judged by
comparing snapshots. Times that a program can set are not trusted: every file is read.
"""

# Plain `os` calls on strings: they run once per path and step, and pathlib is several times slower.
# ruff: noqa: PTH115

from __future__ import annotations

import os
import posixpath
import stat
import sys
import time
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from readfirst.harness.processes.safe_open import open_directory, set_mode
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    RegularFile,
    SpecialFile,
    Stamp,
    Symlink,
    resolved_links,
)
from readfirst.harness.suite.ownership import ACL, USER, Ownership
from readfirst.harness.workspace.guarded_directory import TooLargeError

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Maximum size of a file whose content a snapshot contains, in bytes. For larger files, only the size is recorded."""
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
"""Maximum total size of the files in a snapshot, in bytes. Files above MAX_FILE_BYTES do not count."""
MAX_ENTRIES = 20_000
_SPECIAL_KINDS = {stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}
_MIN_TIME_DISTANCE_NS = 1_000_000
"""Minimum difference between two file times that every implementation can distinguish, in nanoseconds."""
_FILE_CLOCK = 5 if sys.platform == "linux" else time.CLOCK_REALTIME
"""The clock that is used for file times: CLOCK_REALTIME_COARSE on Linux, which the module `time` does not define."""


def snapshot(root: str | os.PathLike[str]) -> dict[str, Entry]:
    """Take a snapshot of the directory `root`. The keys are the paths below `root`, relative and separated by `/`. The
    values are the states of the paths, such as a file with its content.

    Links are not followed. All bytes are read. The target of an absolute link into `root` starts with `$WS`. A
    directory or file without read permission is made readable for a moment. If `root` is not a directory, the result is
    the single path `.`. Raises OSError, RecursionError, TooLargeError.
    """
    root_path = os.fspath(root)
    entries: dict[str, Entry] = {}
    try:
        if stat.S_ISLNK(os.lstat(root_path).st_mode):
            return {".": Symlink(os.readlink(root_path))}
        scan(root_path, "", entries, root_path)
    except FileNotFoundError:
        return {".": SpecialFile("missing")}
    except NotADirectoryError:
        return {".": SpecialFile("no directory")}
    return entries


def changes(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Entry | None]:
    """Return each path that differs between two snapshots, sorted, with its new state. None for a deleted path."""
    differing = {path for path, entry in after.items() if before.get(path) != entry}
    differing.update(path for path in before if path not in after)
    return {path: after.get(path) for path in sorted(differing)}


def apply_changes(state: Mapping[str, Entry], changed: Mapping[str, Entry | None]) -> dict[str, Entry]:
    """Return a copy of the snapshot `state` with changes applied. `changed` is a result of `changes`."""
    merged = {**state, **changed}
    return {path: entry for path, entry in merged.items() if entry is not None}


def scan(
    directory: str,
    prefix: str,
    entries: dict[str, Entry],
    root_path: str,
    *,
    names: Collection[str] | None = None,
) -> None:
    """Add the content of `directory` (or only `names` in it) to `entries`, with `prefix` before each path."""
    folder, name = os.path.split(directory)
    with open_directory(folder) as above:
        _Scan(entries, root_path).directory(name, above, prefix, names)


class _Scan:
    def __init__(self, entries: dict[str, Entry], root_path: str) -> None:
        self.entries = entries
        self.root_path = root_path
        self.total_bytes = 0
        self.own_ids = os.geteuid(), os.getegid()

    def directory(self, name: str, above: int, prefix: str, names: Collection[str] | None = None) -> None:
        """Add the content of the directory `name` in the open directory `above`, even without read permission."""
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

    def _entry(self, dir_entry: os.DirEntry[str], folder: int, path: str) -> None:
        status = dir_entry.stat(follow_symlinks=False)
        mode = stat.S_IMODE(status.st_mode)
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFREG:
            self.entries[path] = self._file(dir_entry.name, folder, mode, status)
        elif kind == stat.S_IFDIR:
            ids = self._ids(status)
            self.entries[path] = Directory(mode, None if ids == (None, None) else Ownership(*ids))
            self.directory(dir_entry.name, folder, path + "/")
        elif kind == stat.S_IFLNK:
            target = os.readlink(dir_entry.name, dir_fd=folder)
            if target == self.root_path or target.startswith(self.root_path + "/"):
                target = "$WS" + target[len(self.root_path) :]
            self.entries[path] = Symlink(target)
        else:
            self.entries[path] = SpecialFile(_SPECIAL_KINDS.get(kind, "device"))
        if len(self.entries) > MAX_ENTRIES:
            raise TooLargeError(f"the directory contains more than {MAX_ENTRIES} files")

    def _file(self, name: str, folder: int, mode: int, status: os.stat_result) -> Entry:
        size = status.st_size
        if size > MAX_FILE_BYTES:
            return SpecialFile(f"file of {size} bytes")
        self.total_bytes += size
        if self.total_bytes > MAX_TOTAL_BYTES:
            raise TooLargeError(f"the files of the directory have more than {MAX_TOTAL_BYTES} bytes")
        stamp = Stamp(status.st_ino, status.st_nlink, status.st_mtime_ns)
        data, ownership = _read_file(name, folder, mode, size, self._ids(status))
        return RegularFile(data, mode, None, stamp, ownership)

    def _ids(self, status: os.stat_result) -> tuple[int | None, int | None]:
        """Return the user id and the group id of a file or directory. None for an id that equals this process's id."""
        user, group = self.own_ids
        return (
            None if status.st_uid == user else status.st_uid,
            None if status.st_gid == group else status.st_gid,
        )


def _read_file(
    name: str, folder: int, mode: int, size: int, ids: tuple[int | None, int | None]
) -> tuple[bytes, Ownership | None]:
    """Return a file's content and ownership. None means the user and group of this process, and no attributes."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except PermissionError:
        if mode & 0o400:
            raise
        set_mode(name, mode | 0o400, folder)
        try:
            return _read_file(name, folder, mode | 0o400, size, ids)
        finally:
            set_mode(name, mode, folder)
    try:
        data = os.read(descriptor, size + 1)
        while len(data) < size and (more := os.read(descriptor, size)):
            data += more
        attributes = _read_attributes(descriptor)
        return data, Ownership(*ids, attributes) if attributes or ids != (None, None) else None
    finally:
        os.close(descriptor)


def _read_attributes(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """Return the extended attributes of a file. The keys are their names. Empty if the system does not support them."""
    try:
        names = os.listxattr(descriptor)
    except (OSError, AttributeError):
        return ()
    read = (name for name in sorted(names) if name.startswith(USER) or name == ACL)
    return tuple((name, os.getxattr(descriptor, name)) for name in read)


class Trace(NamedTuple):
    """A write that left bytes and mode unchanged: the file's times before and after, and whether it was replaced."""

    before_ns: int
    after_ns: int
    replaced: bool


def traces(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Trace]:
    """Return a trace for each file that was written, touched or replaced without changing its bytes and mode."""
    found: dict[str, Trace] = {}
    for path, entry in after.items():
        if type(entry) is RegularFile:
            previous = before.get(path)
            if type(previous) is not RegularFile or previous.stamp is None or entry.stamp is None:
                continue
            (inode, _, time), (former_inode, _, former_time) = entry.stamp, previous.stamp
            if (inode != former_inode or time != former_time) and previous == entry:
                found[path] = Trace(former_time, time, inode != former_inode)
    return found


def hard_link_names(entries: Mapping[str, Entry]) -> dict[str, tuple[str, ...]]:
    """Return a mapping for the files with several names (hard links): from each name to all names of its file."""
    groups: dict[int, list[str]] = {}
    for path, entry in entries.items():
        if type(entry) is RegularFile and entry.stamp is not None and entry.stamp.names > 1:
            groups.setdefault(entry.stamp.inode, []).append(path)
    return {path: tuple(sorted(group)) for group in groups.values() if len(group) > 1 for path in group}


def candidate_paths(arguments: Mapping[str, Any], state: Mapping[str, Entry | None]) -> tuple[str, ...]:
    """Return the paths in a snapshot that a call may refer to, with links resolved. Empty without a path argument. A
    path that starts with `~/` may also be in a directory named `~`. A missing path may also be in Unicode NFC form.
    """
    path = arguments.get("file_path", arguments.get("notebook_path"))
    if not isinstance(path, str):
        return ()
    relative_path = posixpath.normpath(path.removeprefix("$WS").lstrip("/"))
    if "/" not in relative_path and path[:1] != "~" and isinstance(state.get(relative_path), RegularFile):
        return (relative_path,)  # the usual case; skip the rest
    resolved = resolved_links(relative_path, state)
    home = f"$HOME/{posixpath.normpath(path[2:])}" if path.startswith("~/") else None
    paths = [each for each in (resolved, home) if each is not None]
    composed = [unicodedata.normalize("NFC", each) for each in paths if state.get(each) is None]
    return tuple(dict.fromkeys([*paths, *composed]))


def wait_for_later_time(time_ns: int) -> None:
    """Wait until the file system's clock has passed `time_ns`, so that later writes get a later time."""
    later = time_ns + _MIN_TIME_DISTANCE_NS
    while time.clock_gettime_ns(_FILE_CLOCK) < later:
        time.sleep(0.0005)
