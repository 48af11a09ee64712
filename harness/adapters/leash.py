"""Run inside the child: leave the network if asked to, start the program and watch over it.

Started as `python -I leash.py LIFELINE [--offline] -- COMMAND...`; uses the standard library only. LIFELINE is an
inherited pipe. It leads the process group: when the other end of the pipe closes, because the harness ended
however it ended, it kills the group; when the program ends, it ends in the same way.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    """Isolate, start the program, end as it ends."""
    split = arguments.index("--")
    (lifeline, *flags), command = arguments[:split], arguments[split + 1 :]
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from harness.agent.launcher import end_with, leave_network, start

    os.umask(0o022)
    if "--offline" in flags:
        try:
            problem = leave_network()
        except OSError as error:
            problem = str(error)
        if problem:
            print(f"readfirst: the program keeps its network: {problem}", file=sys.stderr, flush=True)
    child = start(command)
    # The program's ends alone count: nobody is to wait for this process to close its own.
    for stream in (0, 1):
        os.close(stream)
    end_with(child, int(lifeline))


if __name__ == "__main__":
    main(sys.argv[1:])
