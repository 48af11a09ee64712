"""Temporary directories, locked while they are used. The next run removes those of killed runs."""

import fcntl
import logging
import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.processes.rmtree import destroy

_LOG = logging.getLogger("readfirst")
_PREFIX = "readfirst-"
_NAME = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_LOCK_NAME = ".lock"
_READ_BY_SHELLS = re.compile(r"[^\w./+,:@%=~-]")
_NEW = 3600.0
"""Seconds during which a directory without a lock may be new."""
_MEMORY = "/dev/shm"
"""File system in memory that every user of Linux can write to."""
_ROOM = 256 * 1024 * 1024
"""Minimum free bytes in memory. The largest scenario takes a sixth of it."""
_swept = False


class ScratchError(ReadfirstError):
    """There is no suitable directory for temporary files."""

    exit_code = ExitCode.BROKEN


class Scratch:
    """A new directory in the system's directory for temporary files; `path` is absolute and without links.

    With `memory` it is in memory if possible, for many small files. The first one of a process removes those of
    killed runs. Raises ScratchError.
    """

    def __init__(self, *, memory: bool = False) -> None:
        sweep()
        place = in_memory() if memory else None
        self._lock: int | None = None
        while self._lock is None:
            try:
                _check_spelling(place or tempfile.gettempdir())
                self.path = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX, dir=place)))
                self._lock = _lock(self.path, os.O_CREAT)
            except OSError as error:
                problem = f"cannot make a folder for temporary files: {error}. Set TMPDIR to a folder with free space"
                raise ScratchError(problem) from error

    def folder(self) -> Path:
        """Return a new, empty directory in it."""
        return Path(tempfile.mkdtemp(dir=self.path))

    def close(self) -> None:
        """Remove the directory with its content. Failures are logged."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        try:
            destroy(str(self.path), last=_LOCK_NAME)
        except OSError as error:
            _LOG.warning("cannot remove %s: %s", self.path, error)
        finally:
            os.close(lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_spelling(place: str) -> None:
    """Raise ScratchError if a shell would split or expand the path: commands of scenarios contain paths below
    it.
    """
    if odd := _READ_BY_SHELLS.search(os.path.realpath(place)):
        raise ScratchError(
            f"the folder for temporary files, {place!r}, has {odd[0]!r} in its path, which commands of scenarios would "
            "be split or changed by. Set TMPDIR to another one"
        )


def in_memory() -> str | None:
    """Return a directory in memory for temporary files. None if there is none with enough space.

    If TMPDIR is set, the user has chosen the directory.
    """
    if any(map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))):
        return None
    try:
        state = os.statvfs(_MEMORY)
    except OSError:
        return None
    is_open = os.access(_MEMORY, os.W_OK | os.X_OK) and not state.f_flag & os.ST_NOEXEC
    return _MEMORY if is_open and state.f_bavail * state.f_frsize >= _ROOM else None


def _lock(folder: Path, flags: int = 0) -> int | None:
    """Lock a directory, and return the lock. None if another process holds it, or has just removed the
    directory.

    Raises OSError, also if the directory has no lock file.
    """
    path = folder / _LOCK_NAME
    lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_ino == path.lstat().st_ino:
            return lock
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        if flags:
            return lock  # the file system does not support locks: no process can remove it
    os.close(lock)
    return None


def sweep() -> None:
    """Remove the directories of killed runs, which are not locked any more. Once per process."""
    global _swept
    if _swept:
        return
    _swept = True
    places = [in_memory()]
    with suppress(OSError):  # there may be no other directory
        places.append(tempfile.gettempdir())
    for place in filter(None, places):
        with suppress(OSError), os.scandir(place) as listing:
            left = [Path(entry.path) for entry in listing if _NAME.fullmatch(entry.name)]
            for folder in left:
                with suppress(OSError):
                    _sweep_away(folder)


def _sweep_away(folder: Path) -> None:
    status = folder.lstat()
    if status.st_uid != os.getuid():
        return
    try:
        lock = _lock(folder)
    except FileNotFoundError:
        if time.time() - status.st_mtime > _NEW:
            folder.rmdir()  # fails unless it is empty: its run was killed before it could lock it
        return
    if lock is not None:
        try:
            destroy(str(folder), last=_LOCK_NAME)
        finally:
            os.close(lock)
