"""Perform the events of a scenario that change the workspace. The harness plays the role of another program."""

# `os` calls in open directories, because an implementation may replace a directory by a link that leads elsewhere.

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import assert_never

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.processes.safe_open import (
    DirectoryHandles,
    open_directory,
    open_subdirectory,
    set_directory_mode_and_time,
    set_mode,
)
from readfirst.harness.suite.file_entry import (
    NANOSECONDS,
    OLD_TIME,
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Seconds,
    SpecialFile,
    Symlink,
)
from readfirst.harness.suite.ownership import DEFAULT_OWNERSHIP, Ownership
from readfirst.harness.suite.scenario import WorldEvent

_SPECIAL_TYPES = {"fifo": stat.S_IFIFO, "socket": stat.S_IFSOCK}
"""File types of the special files that a scenario can contain."""


class WorldEventError(Exception):
    """An event of a scenario could not be performed in the current state of the workspace."""


def create(root: str, path: str, entry: Entry, *, time: int | None = None) -> None:
    """Create an entry at `path` in `root`, with missing parents. Raises OSError if the path exists and is not a
    directory. `time` is in nanoseconds; None means that it is not set. The default mode is 0644, for directories 0755.
    """
    folder, name = _split_path(root, path)
    with open_directory(folder, make=True) as directory_fd:
        create_entry(entry, name, directory_fd, root=root, time=time)


def create_entry(entry: Entry, name: str, directory_fd: int, *, root: str, time: int | None = None) -> None:
    """Create an entry in an open directory, as `create` does. In link targets, `root` replaces `$WS`."""
    match entry:
        case RegularFile(content, mode, ownership=ownership):
            data = content if isinstance(content, bytes) else content.data()
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=directory_fd)
            try:
                _write(descriptor, data)
                set_ownership(descriptor, ownership)
                os.fchmod(descriptor, 0o644 if mode is None else mode)
            finally:
                os.close(descriptor)
        case Symlink(link):
            os.symlink(link.replace("$WS", root), name, dir_fd=directory_fd)
        case HardLink(to):
            there, known = _split_path(root, to)
            with open_directory(there) as source:
                os.link(known, name, src_dir_fd=source, dst_dir_fd=directory_fd, follow_symlinks=False)
        case Directory(mode):
            os.close(open_subdirectory(name, directory_fd, make=True))
            set_mode(name, 0o755 if mode is None else mode, directory_fd)
        case SpecialFile(kind):
            if kind not in _SPECIAL_TYPES:
                raise ValueError(f"a scenario cannot create a {kind}")
            try:
                os.mknod(name, _SPECIAL_TYPES[kind] | 0o644, dir_fd=directory_fd)
            except (OSError, AttributeError) as error:
                raise UnsupportedCall(f"the ability to create a {kind}") from error
    if time is not None:
        os.utime(name, ns=(time, time), dir_fd=directory_fd, follow_symlinks=False)


def set_ownership(file: int | str, ownership: Ownership | None) -> None:
    """Set the owner, the group and the extended attributes. Raises UnsupportedCall if the system does not allow it."""
    if ownership is None or ownership == DEFAULT_OWNERSHIP:
        return
    try:
        os.chown(file, *(-1 if each is None else each for each in ownership[:2]))
        for name, data in ownership.attributes:
            os.setxattr(file, name, data)
    except (OSError, AttributeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this system has none"
        raise UnsupportedCall(f"the ability to create files with {ownership} ({reason})") from error


def lay_out(files: Mapping[str, Entry], root: str | os.PathLike[str]) -> None:
    """Create the given files of a scenario in the empty directory `root`, with exact bytes, modes, links and times. The
    default time of files and directories is OLD_TIME.
    """
    root_path = os.fspath(root)
    hard_links = []
    directories = {""}
    with DirectoryHandles(root_path) as handles:
        for path, entry in files.items():
            folder, _, name = path.rpartition("/")
            folders = path if isinstance(entry, Directory) else folder
            while folders not in directories:
                directories.add(folders)
                folders = folders.rpartition("/")[0]
            if isinstance(entry, Directory):
                handles.at(path)
            elif isinstance(entry, HardLink):
                hard_links.append((path, entry))
            else:
                time = OLD_TIME * NANOSECONDS
                if isinstance(entry, RegularFile) and entry.mtime is not None:
                    time = int(entry.mtime * NANOSECONDS)
                create_entry(entry, name, handles.at(folder), root=root_path, time=time)
        for path, entry in hard_links:
            create(root_path, path, entry)
        for path in sorted(directories, reverse=True):  # last, because a new file changes a directory's time
            given = files.get(path)
            mode = given.mode if isinstance(given, Directory) else None
            if isinstance(given, Directory):
                set_ownership(f"{root_path}/{path}", given.ownership)
            set_directory_mode_and_time(handles.at(path), 0o755 if mode is None else mode, OLD_TIME)


def perform(event: WorldEvent, root: str | os.PathLike[str]) -> None:
    """Perform an event in the workspace `root`. `modify` keeps the inode, and follows a link to a target inside the
    workspace. Raises WorldEventError if the path is missing, has the wrong type, or leads out of the workspace.
    """
    root_path = os.fspath(root)
    try:
        _perform(event, root_path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WorldEventError(f"cannot {event.kind} {event.path}: {reason}") from error


def apply_git_changes(changes: Mapping[str, Entry | None], root: str, time: int) -> None:
    """Apply the changes of a git command. New entries get the time `time` (nanoseconds). Raises WorldEventError."""
    try:
        for path, entry in sorted(changes.items()):
            target = _resolve_parent(root, path, WorldEvent("git", path))
            if os.path.lexists(target):
                if isinstance(entry, Directory) and stat.S_ISDIR(os.lstat(target).st_mode):
                    continue
                _perform(WorldEvent("delete", path), root)
            if entry is not None:
                create(root, path, entry, time=time)
    except OSError as error:
        raise WorldEventError(f"cannot apply the changes of git: {error.strerror or error}") from error


def _perform(event: WorldEvent, root: str) -> None:
    target = _resolve_parent(root, event.path, event)
    match event.kind:
        case "modify" | "symlink" | "mkdir":
            _put_entry(event, root, target)
        case "delete":
            with _open_parent(target) as (folder, name):
                if stat.S_ISDIR(_status(name, folder).st_mode):
                    shutil.rmtree(name, dir_fd=folder)
                else:
                    os.unlink(name, dir_fd=folder)
        case "rename":
            if event.to is None:
                raise WorldEventError(f"cannot rename {event.path}: the event names no new path")
            with (
                _open_parent(target) as (folder, name),
                _open_parent(_resolve_parent(root, event.to, event)) as (other, new),
            ):
                os.rename(name, new, src_dir_fd=folder, dst_dir_fd=other)
        case "touch":
            with _open_parent(_follow_link(root, target, event)) as (folder, name):
                _set_shifted_time(name, folder, _status(name, folder).st_mtime_ns, event.mtime)
        case "chmod":
            if event.mode is None:
                raise WorldEventError(f"cannot chmod {event.path}: the event names no mode")
            with _open_parent(_follow_link(root, target, event)) as (folder, name):
                set_mode(name, event.mode, folder)
        case "buffer" | "git" | "mount" | "unmount":
            raise WorldEventError(f"cannot {event.kind} {event.path}: this event is not a change of files")
        case _:
            assert_never(event.kind)


def _put_entry(event: WorldEvent, root: str, target: str) -> None:
    """Perform an event that writes the bytes of a file, or replaces a path by a new entry such as a link."""
    entry = event.entry or (Directory() if event.kind == "mkdir" else None)
    if entry is None:
        raise WorldEventError(f"cannot modify {event.path}: the event names no content")
    path = target.removeprefix(f"{root}/")
    if isinstance(entry, RegularFile) and not os.path.lexists(target):
        create(root, path, entry, time=_shifted_time(OLD_TIME * NANOSECONDS, event.mtime))
    elif isinstance(entry, RegularFile):
        _modify(event, entry, _follow_link(root, target, event))
    else:
        if os.path.lexists(target):
            with _open_parent(target) as (folder, name):
                there = _status(name, folder).st_mode
                if event.kind == "modify" or stat.S_ISLNK(there) or stat.S_ISREG(there):
                    os.unlink(name, dir_fd=folder)
        create(root, path, entry)


def _modify(event: WorldEvent, entry: RegularFile, target: str) -> None:
    with _open_parent(target) as (folder, name):
        status = _status(name, folder)
        if not stat.S_ISREG(status.st_mode):
            raise WorldEventError(f"cannot modify {event.path}: it is not a regular file")
        mode = stat.S_IMODE(status.st_mode)
        if not mode & 0o200:
            set_mode(name, mode | 0o200, folder)
        descriptor = os.open(name, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            _write(descriptor, entry.data)
            os.fchmod(descriptor, mode if entry.mode is None else entry.mode)
        finally:
            os.close(descriptor)
        _set_shifted_time(name, folder, status.st_mtime_ns, event.mtime)


def _shifted_time(old_ns: int, seconds: Seconds | None) -> int:
    return old_ns + int((seconds or 0) * NANOSECONDS)


def _set_shifted_time(name: str, folder: int, old_ns: int, seconds: Seconds | None) -> None:
    time = _shifted_time(old_ns, seconds)
    os.utime(name, ns=(time, time), dir_fd=folder, follow_symlinks=False)


def _status(name: str, folder: int) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


@contextmanager
def _open_parent(path: str) -> Iterator[tuple[int, str]]:
    """Open the parent of a path without following links. Yield its descriptor and the last name in the path."""
    folder, _, name = path.rpartition("/")
    with open_directory(folder) as descriptor:
        yield descriptor, name


def _split_path(root: str, path: str) -> tuple[str, str]:
    folder, _, name = f"{root}/{path}".rpartition("/")
    return folder, name


def _resolve_parent(root: str, path: str, event: WorldEvent) -> str:
    """Return the absolute path, with links above its last name resolved. Raises WorldEventError if it leads outside."""
    folder, name = _split_path(root, path)
    parent = os.path.realpath(folder)
    if parent != root and not parent.startswith(root + "/"):
        raise WorldEventError(f"cannot {event.kind} {event.path}: its directory leads out of the workspace")
    return f"{parent}/{name}"


def _follow_link(root: str, target: str, event: WorldEvent) -> str:
    target = os.path.realpath(target)
    if not target.startswith(root + "/"):
        raise WorldEventError(f"cannot {event.kind} {event.path}: it leads out of the workspace")
    return target


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
