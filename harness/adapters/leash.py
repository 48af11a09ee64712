"""Run inside the child: leave the network if asked to, start the program and watch over it.

Started as `python -I leash.py LIFELINE [--offline] -- COMMAND...`; uses the standard library only. LIFELINE is an
inherited pipe. It leads the process group: when the other end of the pipe closes, because the harness ended
however it ended, it kills the group; when the program ends, it ends in the same way.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

_NOT_FOUND = 127


def kill_group_after(lifeline: int) -> None:
    """Wait until the harness closes its end, then kill every process of the group."""
    while os.read(lifeline, 1):
        pass
    os.killpg(0, signal.SIGKILL)


def start(command: list[str], parent: int) -> int:
    """Start the program as a child that does not outlive this process; return its process id."""
    from harness.agent.launcher import die_with_parent

    child = os.fork()
    if child != 0:
        return child
    try:
        die_with_parent()
        if os.getppid() == parent:
            os.execvp(command[0], command)
    except OSError as error:
        print(f"readfirst: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(_NOT_FOUND)


def main(arguments: list[str]) -> None:
    """Isolate, start the program, end as it ends."""
    split = arguments.index("--")
    (lifeline, *flags), command = arguments[:split], arguments[split + 1 :]
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from harness.agent.launcher import leave_network

    os.umask(0o022)
    if "--offline" in flags:
        try:
            problem = leave_network()
        except OSError as error:
            problem = str(error)
        if problem:
            print(f"readfirst: the program keeps its network: {problem}", file=sys.stderr, flush=True)
    child = start(command, os.getpid())
    # The program's ends alone count: nobody is to wait for this process to close its own.
    for stream in (0, 1):
        os.close(stream)
    threading.Thread(target=kill_group_after, args=(int(lifeline),), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
