"""Run the intruder as a confined program, and pass on what it prints: `confined.py WORKSPACE WORDS`."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTRUDER = Path(__file__).with_name("intruder.py")


def run_intruder(workspace: Path, words: str) -> str:
    """Return what the intruder printed, in a sandbox in which it may write to `workspace` alone."""
    from readfirst.harness.processes.child import Child
    from readfirst.harness.processes.sandbox import find_sandbox

    child = Child(
        [sys.executable, str(INTRUDER), words],
        directory=workspace,
        environment={**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(workspace)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        sandbox=find_sandbox(),
        writable=[workspace],
    )
    assert child.process.stdout is not None
    with child.process.stdout as output:
        printed = output.read().decode()
    child.end()
    return printed


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(run_intruder(Path(sys.argv[1]), sys.argv[2]))
