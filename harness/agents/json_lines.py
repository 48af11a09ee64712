"""Lines of JSON, in which a program is spoken with on its standard input and output."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_LONGEST = 64 * 1024 * 1024
"""Bytes of a line; of one that does not end, the beginning is dropped."""


class JsonLines(ABC):
    """A named pipe below `directory`, the program's standard input, and the messages that the program prints."""

    def __init__(self, directory: Path) -> None:
        self.entrance = directory / "said"
        os.mkfifo(self.entrance)
        # Open for both directions: it does not wait for the program to open its end.
        self._said: int | None = os.open(self.entrance, os.O_RDWR)
        self._part = b""

    @abstractmethod
    def take(self, message: Mapping[str, Any]) -> None:
        """Take one message of the program."""

    def hear(self, part: bytes) -> None:
        """Take what the program printed next; what is no line of JSON, or no message, is passed over."""
        *lines, self._part = (self._part + part).split(b"\n")
        self._part = self._part[-_LONGEST:]
        for line in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                message = json.loads(line)
                if isinstance(message, dict):
                    self.take(message)

    def tell(self, **message: object) -> None:
        """Say something to the program, unless it was hung up on."""
        if self._said is not None:
            os.write(self._said, json.dumps(message).encode() + b"\n")

    def hang_up(self) -> None:
        """End the program's standard input."""
        if self._said is not None:
            os.close(self._said)
            self._said = None
