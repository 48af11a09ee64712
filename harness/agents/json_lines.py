"""Communicate with a program through JSON Lines on its standard input and output."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_MAX_LINE_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of a line. If a line is longer, its beginning is ignored."""


class JsonLines(ABC):
    """Exchanges JSON messages with a program, whose standard input is a named pipe in `directory`."""

    def __init__(self, directory: Path) -> None:
        self.input_pipe = directory / "said"
        os.mkfifo(self.input_pipe)
        # Open for reading and writing, so that opening does not wait for the program.
        self._pipe: int | None = os.open(self.input_pipe, os.O_RDWR)
        self._incomplete_line = b""

    @abstractmethod
    def receive(self, message: Mapping[str, Any]) -> None:
        """Process one message that the program has printed."""

    def hear(self, part: bytes) -> None:
        """Process the next bytes of the program's output. Lines that are not JSON objects are ignored."""
        *lines, self._incomplete_line = (self._incomplete_line + part).split(b"\n")
        self._incomplete_line = self._incomplete_line[-_MAX_LINE_BYTES:]
        for line in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                message = json.loads(line)
                if isinstance(message, dict):
                    self.receive(message)

    def tell(self, **message: object) -> None:
        """Send a message with these fields to the program. Does nothing if the program's input is closed."""
        if self._pipe is not None:
            os.write(self._pipe, json.dumps(message).encode() + b"\n")

    def hang_up(self) -> None:
        """Close the program's standard input."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
