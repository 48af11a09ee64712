"""Run inside a child: tie its life to the harness, leave the network if asked to, become the program.

Started as `python -I leash.py LIFELINE [--offline] -- COMMAND...`; uses the standard library only. LIFELINE is an
inherited pipe: when its other end closes, because the harness ended however it ended, the kernel kills the whole
process group. A program that closes the pipe still dies with the harness, if not its own children.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from pathlib import Path

_NOT_FOUND = 127


def hold(lifeline: int) -> None:
    """Let the kernel kill the process group when the lifeline ends."""
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def main(arguments: list[str]) -> None:
    """Hold on, isolate, exec."""
    split = arguments.index("--")
    (lifeline, *flags), command = arguments[:split], arguments[split + 1 :]
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from harness.agent.launcher import die_with_parent, leave_network

    hold(int(lifeline))
    die_with_parent()
    os.umask(0o022)
    if "--offline" in flags:
        try:
            problem = leave_network()
        except OSError as error:
            problem = str(error)
        if problem:
            print(f"readfirst: the program keeps its network: {problem}", file=sys.stderr, flush=True)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"readfirst: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        sys.exit(_NOT_FOUND)


if __name__ == "__main__":
    main(sys.argv[1:])
