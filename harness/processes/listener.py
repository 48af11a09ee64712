"""Open a listening socket on the loopback interface of a child process, send the socket to the harness, and execute the
program. Used for agents, so that they can reach the scripted model without a network.

The arguments of `main` are [FILE...] -- COMMAND... The harness uses the other end of the descriptor
`supervisor.LISTENING_FD`. A namespace without a network has a separate loopback interface. With the socket, the server
of the model can run in the harness. The port is not known before, so PORT is replaced in variables, the command and the
files.
"""

import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

from readfirst.harness.processes.safe_open import replace_file
from readfirst.harness.processes.supervisor import LISTENING_FD, execute

PORT = "{port of the model}"
LISTENING = b"listening"
"""The message that is sent to the harness together with the socket."""


def main(arguments: list[str]) -> NoReturn:
    """Send a listening socket to the harness, and execute the program, with the socket's port in place of PORT."""
    split = arguments.index("--")
    files, command = arguments[:split], arguments[split + 1 :]
    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as listener,
        socket.socket(fileno=LISTENING_FD) as harness,
    ):
        port = str(listener.getsockname()[1])
        socket.send_fds(harness, [LISTENING], [listener.fileno()])
    for name, value in os.environ.items():
        os.environ[name] = value.replace(PORT, port)
    for file in files:
        with Path(file).open(encoding="utf-8", newline="") as stream:
            text = stream.read()
        replace_file(file, text.replace(PORT, port).encode())
    try:
        execute([word.replace(PORT, port) for word in command])
    except OSError as error:
        sys.exit(f"readfirst: cannot start {command[0]}: {error.strerror}")
