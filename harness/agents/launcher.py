"""Run inside a child process: leave the network, listen on the loopback interface, start the agent and watch over it.

Started as `python -I -S launcher.py CHANNEL [--walls=JSON] FILE... -- COMMAND...`; uses the standard library only.
CHANNEL is an inherited Unix socket: the listening socket goes back through it, so the scripted model can stay in the
harness although the network namespace has a loopback interface of its own. The message beside it tells what of the
isolation could not be had (`supervisor.Isolation`). `--walls` confines the agent, as it does in the supervisor.
Where PORT is in a variable, in the command or in one of the files, the port is put, which nobody knows before.

When the other end of CHANNEL closes, or the agent ends, everything ends as `supervisor` says.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

PORT = "{port of the model}"


def main(arguments: list[str]) -> NoReturn:
    """Isolate, listen, tell the harness, start the agent, end as it ends."""
    sys.path.insert(0, __file__.rpartition("/readfirst/harness/")[0])
    from readfirst.harness.processes.footing import write_anew
    from readfirst.harness.processes.supervisor import isolate, read_walls, supervise

    channel, *rest = arguments
    given, command = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    files = [word for word in given if word.startswith("/")]
    walls = read_walls(given)
    isolation = isolate(offline=True, confined=walls is not None)
    harness = socket.socket(fileno=int(channel))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port = str(listener.getsockname()[1])
        socket.send_fds(harness, [str(isolation).encode()], [listener.fileno()])
    for name, value in os.environ.items():
        os.environ[name] = value.replace(PORT, port)
    for file in files:
        write_anew(file, Path(file).read_text("utf-8").replace(PORT, port).encode())
    supervise([argument.replace(PORT, port) for argument in command], harness.fileno(), isolation, walls)


if __name__ == "__main__":
    main(sys.argv[1:])
