"""Processes: whether they run, and who started them, as Linux tells."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["alive", "children", "descendants", "gone", "group"]


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return _fields(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid: int, patience: float = 5) -> bool:
    """Tell whether a process ends within so many seconds; the kernel needs a moment after the signal."""
    deadline = time.monotonic() + patience
    while alive(pid):
        if time.monotonic() >= deadline:
            return False
        os.sched_yield()
    return True


def children(pid: int) -> set[int]:
    """Return the processes that a process has started."""
    return {each for each, fields in _all() if int(fields[1]) == pid}


def descendants(pid: int) -> set[int]:
    """Return the processes that a process has started, and what these have started."""
    return children(pid) | {each for child in children(pid) for each in descendants(child)}


def group(leader: int) -> list[int]:
    """Return the processes of a process group that run."""
    return [each for each, fields in _all() if int(fields[2]) == leader and fields[0] != "Z"]


def _all() -> Iterator[tuple[int, list[str]]]:
    for path in Path("/proc").glob("[0-9]*"):
        try:
            yield int(path.name), _fields(int(path.name))
        except OSError:
            continue  # it has ended since


def _fields(pid: int) -> list[str]:
    """Return state, parent, group and the rest of what /proc tells of a process."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
