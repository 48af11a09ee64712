"""Lock a cache directory during an installation. The next process removes incomplete installations."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from readfirst.harness.processes.rmtree import destroy


@contextmanager
def installing(directory: Path, *, wait: bool = True) -> Iterator[None]:
    """Lock a path during the block. If another process has it, wait, or raise BlockingIOError (not `wait`)."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f"{directory.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def install_once(directory: Path, is_whole: Callable[[Path], bool], make: Callable[[], object]) -> None:
    """Install a directory of the cache with `make`, unless `is_whole` returns that it is complete. Other incomplete
    installations are removed.

    The time of the last use is stored in any case, for `readfirst product cache`.
    """
    if not is_whole(directory):
        with installing(directory):
            if not is_whole(directory):
                sweep(directory.parent, is_whole)
                make()
    with suppress(OSError):
        os.utime(directory)


def remove(folder: Path) -> None:
    """Remove a directory of the cache. Raises BlockingIOError if a process is installing it, and OSError."""
    # An interrupted installation may leave a directory .NAME-XXXXXXXX.
    name = folder.name
    locked = name[1:].rpartition("-")[0] if name.startswith(".") else name
    with installing(folder.with_name(locked), wait=False):
        destroy(str(folder))


def sweep(root: Path, is_whole: Callable[[Path], bool]) -> None:
    """Remove the incomplete directories in `root`, except those that a process is installing."""
    for folder in root.iterdir():
        if folder.is_dir() and not folder.is_symlink() and not is_whole(folder):
            with suppress(OSError):  # includes BlockingIOError during an installation
                remove(folder)
