"""Create temporary directories, locked while they are used. The next run removes those of killed runs."""

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
_NAME_PATTERN = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_LOCK_NAME = ".lock"
_SPECIAL_CHARACTER_PATTERN = re.compile(r"[^\w./+,:@%=~-]")
_MAX_UNLOCKED_AGE_S = 3600.0
"""Maximum age in seconds of a directory without a lock file. Older directories are unused and are removed."""
_MEMORY_DIRECTORY = "/dev/shm"
"""Directory that is used for temporary files in memory. Every user of Linux can write to it."""
_MIN_FREE_BYTES = 256 * 1024 * 1024
"""Minimum number of free bytes for a file system in memory to be used. The largest scenario uses a sixth of it."""
_swept = False


class ScratchError(ReadfirstError):
    """Raised if no suitable directory for temporary files is found."""

    exit_code = ExitCode.ERROR


class Scratch:
    """A new directory for temporary files, which `close` removes. `path` is absolute and contains no links. With
    `memory`, the directory is in memory if possible, which is faster. Raises ScratchError.
    """

    def __init__(self, *, memory: bool = False) -> None:
        sweep()
        parent = in_memory() if memory else None
        self._lock: int | None = None
        while self._lock is None:
            try:
                _check_spelling(parent or tempfile.gettempdir())
                self.path = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)))
                self._lock = _lock_directory(self.path, os.O_CREAT)
            except OSError as error:
                problem = f"cannot make a directory for temporary files: {error}"
                raise ScratchError(f"{problem}. Set TMPDIR to a directory with free space") from error

    def folder(self) -> Path:
        """Create a new, empty subdirectory, and return its path."""
        return Path(tempfile.mkdtemp(dir=self.path))

    def close(self) -> None:
        """Remove the directory with its content. If this fails, a warning is logged."""
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


def _check_spelling(parent: str) -> None:
    """Raise ScratchError for a path with characters that a shell would split or expand in a command of a scenario."""
    if match := _SPECIAL_CHARACTER_PATTERN.search(os.path.realpath(parent)):
        raise ScratchError(
            f"the path of the directory for temporary files, {parent!r}, contains {match[0]!r}, which a shell would "
            "treat as a separator or special character. Set TMPDIR to a different directory"
        )


def in_memory() -> str | None:
    """Return a directory in memory with enough space. None without such a directory, or if the user has set TMPDIR."""
    if any(map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))):
        return None
    try:
        state = os.statvfs(_MEMORY_DIRECTORY)
    except OSError:
        return None
    is_open = os.access(_MEMORY_DIRECTORY, os.W_OK | os.X_OK) and not state.f_flag & os.ST_NOEXEC
    return _MEMORY_DIRECTORY if is_open and state.f_bavail * state.f_frsize >= _MIN_FREE_BYTES else None


def _lock_directory(directory: Path, flags: int = 0) -> int | None:
    """Lock a temporary directory, and return the lock's descriptor. None if the directory is in use. Raises OSError."""
    path = directory / _LOCK_NAME
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
    """Remove the unlocked temporary directories of killed runs. Only the first call in a process does this."""
    global _swept
    if _swept:
        return
    _swept = True
    parents = [in_memory()]
    with suppress(OSError):  # there may be no other directory
        parents.append(tempfile.gettempdir())
    for parent in filter(None, parents):
        with suppress(OSError), os.scandir(parent) as listing:
            directories = [Path(entry.path) for entry in listing if _NAME_PATTERN.fullmatch(entry.name)]
            for directory in directories:
                with suppress(OSError):
                    _remove_if_unused(directory)


def _remove_if_unused(directory: Path) -> None:
    status = directory.lstat()
    if status.st_uid != os.getuid():
        return
    try:
        lock = _lock_directory(directory)
    except FileNotFoundError:
        if time.time() - status.st_mtime > _MAX_UNLOCKED_AGE_S:
            directory.rmdir()  # fails unless it is empty: its run was killed before it could lock it
        return
    if lock is not None:
        try:
            destroy(str(directory), last=_LOCK_NAME)
        finally:
            os.close(lock)
