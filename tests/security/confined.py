"""Runs a Python program in the sandbox and prints its output: `confined.py WORKSPACE HIDDEN OWN WORDS...`."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_confined(workspace: Path, hidden: Path, own: Path, *command: str) -> str:
    """Return the output of a program that can write only to `workspace`, and read `own`, but not `hidden`."""
    from readfirst.harness.processes.sandbox import Sandbox
    from readfirst.harness.processes.supervised_process import Child

    child = Child(
        [sys.executable, *command],
        directory=workspace,
        environment={"PATH": "/usr/local/bin:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        sandbox=Sandbox((hidden,), (own,), quiet=True),
        writable=[workspace],
    )
    assert child.process.stdout is not None
    with child.process.stdout as output:
        printed = output.read().decode()
    child.end()
    return printed


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.umask(0o022)
    places = map(Path, sys.argv[1:4])
    print(run_confined(*places, *sys.argv[4:]))
