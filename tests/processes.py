"""Functions that tell which processes run and which process started them, from Linux's /proc."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["alive", "below", "children", "descendants", "ends_soon", "mentioning", "none_mentions"]


def alive(pid: int) -> bool:
    """Whether a process runs. False for a zombie, which has ended but was not waited for."""
    try:
        return _fields(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends_soon(pid: int, patience: float = 5) -> bool:
    """Return whether a process ends within `patience` seconds. After a signal the kernel needs a moment."""
    deadline = time.monotonic() + patience
    while alive(pid):
        if time.monotonic() >= deadline:
            return False
        os.sched_yield()
    return True


def mentioning(words: str) -> set[int]:
    """Return the ids of the processes with `words` on their command line, as this process sees them."""
    return {pid for pid, fields in _all() if fields[0] != "Z" and words in _command(pid)}


def none_mentions(words: str, patience: float = 5) -> bool:
    """Return whether all processes with `words` on their command line end within `patience` seconds."""
    deadline = time.monotonic() + patience
    while mentioning(words):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def children(pid: int) -> set[int]:
    """Return the ids of the direct child processes of a process."""
    return {each for each, fields in _all() if int(fields[1]) == pid}


def descendants(pid: int) -> set[int]:
    """Return the ids of the child processes of a process, their children, and so on."""
    return children(pid) | {each for child in children(pid) for each in descendants(child)}


def below(leader: int, number: int) -> int:
    """Return the id of the descendant of `leader` whose id is `number` in its own namespace. Raises LookupError."""
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
    """Return the fields of /proc/PID/stat after the name: state, parent, process group, and so on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
