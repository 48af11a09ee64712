"""Sandbox: what a confined program may touch, and the words that start it so, with bubblewrap or without."""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which

from readfirst.harness.processes.confine import COMMON_TO_ALL
from readfirst.harness.session import BrokenAdapter

__all__ = ["LIMITS", "Sandbox", "find_sandbox"]

_LOG = logging.getLogger("readfirst")

LIMITS = {"data": 4 * 1024**3, "fsize": 1024**3, "nproc": 512}
"""Bytes of memory that one process may fill, bytes of one file, and processes."""
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way to confine: `bwrap` and `prlimit` are programs, empty where the supervisor does it itself."""

    bwrap: str = ""
    prlimit: str = ""

    def flags(self, writable: Sequence[Path]) -> list[str]:
        """Return the arguments of the supervisor."""
        if self.bwrap:
            return []
        limits = ",".join(f"{name}={value}" for name, value in _limits().items())
        return [f"--limits={limits}", *(f"--writable={path}" for path in writable)]

    def words(self, writable: Sequence[Path], directory: Path) -> list[str]:
        """Return what stands before the command."""
        if not self.bwrap:
            return []
        on_the_path = [
            entry for entry in os.environ.get("PATH", "").split(os.pathsep) if entry.startswith("/run/")
        ]
        bound = [("--ro-bind-try", path) for path in on_the_path] + [
            ("--bind", str(path)) for path in writable
        ]
        return [
            self.bwrap,
            "--die-with-parent",
            "--unshare-user-try",
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-uts",
            "--cap-drop",
            "ALL",
            *("--ro-bind", "/", "/", "--proc", "/proc", "--tmpfs", "/run"),
            *("--dev", "/dev", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
            *(word for path in COMMON_TO_ALL for word in ("--ro-bind-try", path, path)),
            *(word for option, path in bound for word in (option, path, path)),
            *("--remount-ro", "/run", "--chdir", str(directory), "--"),
            *(self.prlimit, *(f"--{name}={value}" for name, value in _limits().items()), "--"),
        ]


@cache
def find_sandbox() -> Sandbox:
    """Return the way that this system offers: bubblewrap if it is installed and works, else namespaces of our own.

    Raises BrokenAdapter (blame environment) where it offers none: nothing runs unconfined that was not to.
    """
    if os.geteuid() == 0:
        _LOG.warning("--confine: Linux does not limit the number of root's processes; run it as a user")
    problems = []
    bwrap, prlimit = which("bwrap"), which("prlimit")
    if bwrap and prlimit:
        sandbox = Sandbox(bwrap, prlimit)
        problem = _problem(sandbox)
        if not problem:
            return sandbox
        problems.append(f"bubblewrap does not work ({problem})")
    else:
        problems.append(f"{'prlimit' if bwrap else 'bubblewrap (bwrap)'} is not installed")
    sandbox = Sandbox()
    problem = _problem(sandbox)
    if not problem:
        return sandbox
    problems.append(f"namespaces cannot be used ({problem})")
    reason = "; ".join(problems)
    raise BrokenAdapter(f"--confine is not possible here: {reason}", blame="environment")


def _problem(sandbox: Sandbox) -> str:
    """Say why a program cannot be confined so; empty if it can."""
    from readfirst.harness.processes.child import Child

    true = which("true") or "true"
    with tempfile.TemporaryFile() as printed:
        child = Child(
            [true],
            directory=Path("/"),
            environment=os.environ,
            stdin=subprocess.DEVNULL,
            stdout=printed.fileno(),
            stderr=printed.fileno(),
            sandbox=sandbox,
        )
        status = child.wait(_SECONDS)
        child.end()
        if status == "ended with exit status 0":
            return ""
        printed.seek(0)
        reason = printed.read().decode("utf-8", "replace").strip()
        return reason.removeprefix("readfirst: ") or f"it {status or 'hangs'}"


def _limits() -> dict[str, int]:
    """Return the limits, none above what this process may set."""
    known = {"data": resource.RLIMIT_DATA, "fsize": resource.RLIMIT_FSIZE, "nproc": resource.RLIMIT_NPROC}
    limits = {}
    for name, wanted in LIMITS.items():
        hard = resource.getrlimit(known[name])[1]
        limits[name] = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    return limits
