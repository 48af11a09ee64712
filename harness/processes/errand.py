"""Errand: a program of the system that is run to its end; nothing that it starts outlives it, or this process."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from readfirst.harness.processes.child import Child
from readfirst.harness.session import BrokenAdapter

_NOWHERE = Path(os.sep)
"""Where nobody puts settings and modules, as one may in the current folder and above every temporary one."""


def run_errand(
    command: Sequence[str],
    *,
    seconds: float,
    about: str = "",
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program and return how it ended; what it printed is text. It gets no input.

    Raises BrokenAdapter (blame environment) if it takes more than so many seconds, and where no process can be started.
    """
    name = Path(command[0]).name
    program = os.path.abspath(command[0]) if os.sep in command[0] else command[0]  # noqa: PTH100 - links stay
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        child = Child(
            [program, *command[1:]],
            directory=_NOWHERE,
            environment=os.environ if environment is None else environment,
            stdin=subprocess.DEVNULL,
            stdout=printed.fileno(),
            stderr=errors.fileno(),
        )
        try:
            ended = child.wait(seconds) is not None
        finally:
            child.end()
        if not ended:
            what = f"{name} took more than {seconds:g} s{about and ' for '}{about}"
            raise BrokenAdapter(what, blame="environment")
        texts = []
        for stream in (printed, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        return subprocess.CompletedProcess(command, child.process.returncode, *texts)
