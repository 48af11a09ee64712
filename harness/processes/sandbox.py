"""Sandbox: what a confined program may touch, and the words that say so to its supervisor."""

import json
import logging
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which

from readfirst.harness.processes.view import view
from readfirst.harness.session import BrokenAdapter

_LOG = logging.getLogger("readfirst")

LIMITS = {"data": 4 * 1024**3, "fsize": 1024**3, "nproc": 512}
"""Bytes of memory that one process may fill, bytes of one file, and processes."""
_SECONDS = 20.0
_said: set[str] = set()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A place to confine programs in. `hidden` they never see; `own` are files and folders that they need.

    `quiet`: nobody has asked for it, so nothing is said of what they can read.
    """

    hidden: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    quiet: bool = False

    def flags(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        directory: Path,
        writable: Sequence[Path],
    ) -> list[str]:
        """Return the arguments of the supervisor, and say once what the program can read beside the system."""
        own = {"own": self.own, "hidden": self.hidden, "writable": writable}
        seen = view(command, environment, directory, **own)
        if writable and not self.quiet:
            listed = ", ".join(map(str, seen.own)) or "nothing"
            _say_once(f"--confine: beside the system's folders, the program can read {listed}")
        walls = (_limits(), seen.places(directory, writable))
        return [f"--walls={json.dumps(walls)}"]


def _say_once(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _LOG.warning("%s", message)


def find_sandbox(hidden: Sequence[Path] = (), *, quiet: bool = False) -> Sandbox:
    """Return the way to confine that this system offers: namespaces. `quiet` is that of the sandbox.

    Raises BrokenAdapter (blame environment) where it offers none: nothing runs unconfined that was not to.
    """
    if problem := _problem():
        raise BrokenAdapter(
            f"--confine is not possible here: namespaces cannot be used ({problem})", blame="environment"
        )
    if os.geteuid() == 0 and not quiet:
        _say_once("--confine: Linux does not limit the number of root's processes; run it as a user")
    return Sandbox(tuple(hidden), quiet=quiet)


def sandbox_among_files() -> Sandbox | None:
    """Return a quiet one for what starts among files of a suite that is not the bundled one.

    None, and a warning that says so once, where the system offers none.
    """
    try:
        return find_sandbox(quiet=True)
    except BrokenAdapter as error:
        _say_once(f"what runs among the files of this suite is unconfined: {error}")
        return None


@cache
def _problem() -> str:
    """Say why a program cannot be confined; empty if it can."""
    from readfirst.harness.processes.child import run_errand

    try:
        done = run_errand([which("true") or "true"], seconds=_SECONDS, sandbox=Sandbox())
    except BrokenAdapter as error:
        return str(error)
    reason = done.stderr.strip().removeprefix("readfirst: ") or f"it ended with exit status {done.returncode}"
    return reason if done.returncode else ""


def _limits() -> dict[str, int]:
    """Return the limits, none above what this process may set."""
    limits = {}
    for name, wanted in LIMITS.items():
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        limits[name] = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    return limits
