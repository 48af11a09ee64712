"""Finds running processes by command line or by parent, in Linux's /proc."""

import os
import time
from collections.abc import Iterator
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process runs. False for a zombie, which has ended but is still listed."""
    try:
        return _fields(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends_soon(pid: int, timeout: float = 5) -> bool:
    """Whether a process ends in time. After a signal, the kernel needs a moment to end it."""
    deadline = time.monotonic() + timeout
    while is_running(pid):
        if time.monotonic() >= deadline:
            return False
        os.sched_yield()
    return True


def pids_by_command(words: str) -> set[int]:
    """Return the processes that this process sees whose command line contains `words`."""
    return {pid for pid, fields in _all() if fields[0] != "Z" and words in _command(pid)}


def ends_soon_by_command(words: str, timeout: float = 5) -> bool:
    deadline = time.monotonic() + timeout
    while pids_by_command(words):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def children(pid: int) -> set[int]:
    return {each for each, fields in _all() if int(fields[1]) == pid}


def descendants(pid: int) -> set[int]:
    return children(pid) | {each for child in children(pid) for each in descendants(child)}


def pid_by_namespaced_id(leader: int, number: int) -> int:
    """Return the id here of the descendant of `leader` with this id in its own namespace. Raises LookupError."""
    for pid in descendants(leader):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        if any(line.split()[-1] == str(number) for line in lines if line.startswith("NSpid:")):
            return pid
    raise LookupError(f"no process {number} pid_by_namespaced_id {leader}")


def _all() -> Iterator[tuple[int, list[str]]]:
    for path in Path("/proc").glob("[0-9]*"):
        try:
            yield int(path.name), _fields(int(path.name))
        except OSError:
            continue  # the process has ended in the meantime


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name: state, parent, process group, and so on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
