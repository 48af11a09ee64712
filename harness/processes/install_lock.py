"""Installing: one process at a time makes a folder of the cache; what a killed one left is removed by the next."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from readfirst.harness.processes.rmtree import destroy


@contextmanager
def installing(directory: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a folder that may not be there yet. Raises BlockingIOError unless it is to `wait`."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f"{directory.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def install_once(directory: Path, is_whole: Callable[[Path], bool], make: Callable[[], object]) -> None:
    """Let a folder of the cache be made unless it is complete, and the parts of its neighbours removed.

    When it was last used is kept: `readfirst product cache` goes by it.
    """
    if not is_whole(directory):
        with installing(directory):
            if not is_whole(directory):
                sweep(directory.parent, is_whole)
                make()
    with suppress(OSError):
        os.utime(directory)


def remove(folder: Path) -> None:
    """Remove an installed folder, or what an installation left. Raises BlockingIOError while it is made, OSError."""
    # What an installation that was killed has left may be called .NAME-XXXXXXXX.
    name = folder.name
    locked = name[1:].rpartition("-")[0] if name.startswith(".") else name
    with installing(folder.with_name(locked), wait=False):
        destroy(str(folder))


def sweep(root: Path, is_whole: Callable[[Path], bool]) -> None:
    """Remove the folders below `root` that are incomplete, unless somebody is making them."""
    for folder in root.iterdir():
        if folder.is_dir() and not folder.is_symlink() and not is_whole(folder):
            with suppress(OSError):  # also the BlockingIOError of one that is being made
                remove(folder)
