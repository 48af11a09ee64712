"""Install each directory of a cache once, even if several processes need it. A lock prevents a second install."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from readfirst.harness.processes.rmtree import destroy


@contextmanager
def installing(directory: Path, *, wait: bool = True) -> Iterator[None]:
    """Lock a directory in a cache of installed packages during the block. If another process has locked the directory,
    wait, or raise BlockingIOError if `wait` is false.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f"{directory.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def install_once(directory: Path, is_complete: Callable[[Path], bool], install: Callable[[], object]) -> None:
    """Call `install` to create a directory of the cache, unless the directory is complete. Store the time of this use.
    Incomplete directories next to a new directory are removed.
    """
    if not is_complete(directory):
        with installing(directory):
            if not is_complete(directory):
                sweep(directory.parent, is_complete)
                install()
    with suppress(OSError):
        os.utime(directory)


def remove(directory: Path) -> None:
    """Remove a directory of the cache. Raises BlockingIOError if a process is installing it, and OSError."""
    # An interrupted installation may leave a directory .NAME-XXXXXXXX.
    name = directory.name
    locked = name[1:].rpartition("-")[0] if name.startswith(".") else name
    with installing(directory.with_name(locked), wait=False):
        destroy(str(directory))


def sweep(root: Path, is_complete: Callable[[Path], bool]) -> None:
    """Remove the incomplete directories in `root`, except directories that a process is installing."""
    for directory in root.iterdir():
        if directory.is_dir() and not directory.is_symlink() and not is_complete(directory):
            with suppress(OSError):  # includes BlockingIOError during an installation
                remove(directory)
