"""Processes: whether they run, and who started them, as Linux tells."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["alive", "below", "children", "descendants", "gone", "mentioning", "none_mentions"]


def alive(pid: int) -> bool:
    """Whether a process runs. False for an ended process that was not waited for."""
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


def mentioning(words: str) -> set[int]:
    """Return the processes with these words on their command line: numbers in a namespace are not the system's."""
    return {pid for pid, fields in _all() if fields[0] != "Z" and words in _command(pid)}


def none_mentions(words: str, patience: float = 5) -> bool:
    """Tell whether all processes with these words on their command line end within so many seconds."""
    deadline = time.monotonic() + patience
    while mentioning(words):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def children(pid: int) -> set[int]:
    """Return the processes that a process has started."""
    return {each for each, fields in _all() if int(fields[1]) == pid}


def descendants(pid: int) -> set[int]:
    """Return the child processes of a process, and their children."""
    return children(pid) | {each for child in children(pid) for each in descendants(child)}


def below(leader: int, number: int) -> int:
    """Return the descendant of `leader` that has this number in its own namespace. Raises LookupError."""
    for pid in descendants(leader):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        if any(line.split()[-1] == str(number) for line in lines if line.startswith("NSpid:")):
            return pid
    raise LookupError(f"no process {number} below {leader}")


def _all() -> Iterator[tuple[int, list[str]]]:
    for path in Path("/proc").glob("[0-9]*"):
        try:
            yield int(path.name), _fields(int(path.name))
        except OSError:
            continue  # it has ended since


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _fields(pid: int) -> list[str]:
    """Return state, parent, group and the rest of what /proc tells of a process."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
