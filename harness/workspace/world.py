"""World events: changes to the workspace that no tool makes, performed by the harness itself."""

# Plain `os` calls on strings: they run once per path and step, and pathlib takes several times as long.
# ruff: noqa: PTH101, PTH103, PTH104, PTH108, PTH112, PTH113, PTH114, PTH116, PTH120, PTH211

from __future__ import annotations

import os
import shutil
import stat

from readfirst.harness.suite.entry import (
    OLD_TIME,
    Directory,
    Entry,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
)
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.suite.shift import NANOSECONDS, Seconds

__all__ = ["WorldEventError", "create", "perform"]


class WorldEventError(Exception):
    """A world event could not be performed in the state that the workspace was in."""


def create(root: str, path: str, entry: Entry) -> None:
    """Create `path` below `root`, with missing parents; it must not exist yet, unless as a directory.

    Times are left to the caller. A mode that is not stated is 0644 for files and 0755 for directories.
    """
    target = f"{root}/{path}"
    match entry:
        case RegularFile(content, mode):
            data = content if isinstance(content, bytes) else content.data()
            try:
                descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileNotFoundError:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            try:
                _write(descriptor, data)
                os.fchmod(descriptor, 0o644 if mode is None else mode)
            finally:
                os.close(descriptor)
        case Symlink(link):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(link.replace("$WS", root), target)
        case HardLink(to):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.link(f"{root}/{to}", target)
        case Directory(mode):
            os.makedirs(target, exist_ok=True)
            os.chmod(target, 0o755 if mode is None else mode)
        case SpecialFile(kind):
            raise ValueError(f"{path}: a scenario cannot ask for a {kind}")


def perform(event: WorldEvent, root: str | os.PathLike[str]) -> None:
    """Change the workspace as the event says; times are set in whole seconds relative to the file's own.

    `modify` keeps the file's inode and mode, and follows a link that stays inside the workspace. A file that
    `modify` creates gets the fixed old time plus the shift.

    Raises:
        WorldEventError: The path is missing, is of another type, or leads out of the workspace.
    """
    top = os.fspath(root)
    try:
        _perform(event, top)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WorldEventError(f"cannot {event.kind} {event.path}: {reason}") from error


def _perform(event: WorldEvent, root: str) -> None:
    target = _inside(root, event.path, event)
    match event.kind:
        case "modify":
            _modify(event, root, target)
        case "touch":
            _shift(_followed(root, target, event), os.stat(target).st_mtime_ns, event.mtime)
        case "delete":
            if os.path.isdir(target) and not os.path.islink(target):
                shutil.rmtree(target)
            else:
                os.unlink(target)
        case "rename":
            if event.to is None:
                raise WorldEventError(f"cannot rename {event.path}: the event names no new path")
            os.rename(target, _inside(root, event.to, event))
        case "chmod":
            if event.mode is None:
                raise WorldEventError(f"cannot chmod {event.path}: the event names no mode")
            os.chmod(_followed(root, target, event), event.mode)
        case "symlink" | "mkdir":
            if os.path.islink(target) or os.path.isfile(target):
                os.unlink(target)
            create(root, event.path, event.entry or Directory())


def _modify(event: WorldEvent, root: str, target: str) -> None:
    entry = event.entry
    if not isinstance(entry, RegularFile):
        if entry is None:
            raise WorldEventError(f"cannot modify {event.path}: the event names no content")
        if os.path.lexists(target):
            os.unlink(target)
        create(root, event.path, entry)
        return
    if not os.path.lexists(target):
        create(root, event.path, entry)
        _shift(target, OLD_TIME * NANOSECONDS, event.mtime)
        return
    real = _followed(root, target, event)
    status = os.stat(real)
    if not stat.S_ISREG(status.st_mode):
        raise WorldEventError(f"cannot modify {event.path}: it is not a regular file")
    mode = stat.S_IMODE(status.st_mode)
    if not mode & 0o200:
        os.chmod(real, mode | 0o200)
    descriptor = os.open(real, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
    try:
        _write(descriptor, entry.data)
        os.fchmod(descriptor, mode if entry.mode is None else entry.mode)
    finally:
        os.close(descriptor)
    _shift(real, status.st_mtime_ns, event.mtime)


def _shift(path: str, old: int, seconds: Seconds | None) -> None:
    time = old + int((seconds or 0) * NANOSECONDS)
    os.utime(path, ns=(time, time))


def _inside(root: str, path: str, event: WorldEvent) -> str:
    """Return the absolute path; a parent that an implementation made a link must not lead the harness out."""
    target = f"{root}/{path}"
    parent = os.path.realpath(os.path.dirname(target))
    if parent != root and not parent.startswith(root + "/"):
        raise WorldEventError(f"cannot {event.kind} {event.path}: its folder leads out of the workspace")
    return target


def _followed(root: str, target: str, event: WorldEvent) -> str:
    real = os.path.realpath(target)
    if not real.startswith(root + "/"):
        raise WorldEventError(f"cannot {event.kind} {event.path}: it leads out of the workspace")
    return real


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
