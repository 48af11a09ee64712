"""Framing: JSON messages over a socket, each with its length in front, with a limit on size and time."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

MAXIMUM_MESSAGE = 64 * 1024 * 1024
"""The longest message in bytes; whoever announces more floods."""

_HEADER = struct.Struct("!4sQ")
_MAGIC = b"rdf1"
_PIECE = 256 * 1024


class EndedError(Exception):
    """The other side is gone."""


class TooLateError(Exception):
    """The other side did not answer, or did not take the message, in time."""


class GarbageError(Exception):
    """What came is not a message; the text says why."""


class Framing:
    """One side of the conversation; closes with its socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._waiting = b""

    def send(self, message: Any, deadline: float | None = None) -> None:
        """Send one message before `deadline` (as of `time.monotonic`; None: no limit).

        Raises EndedError, TooLateError.
        """
        data = json.dumps(message, separators=(",", ":")).encode("ascii")
        try:
            self._limit(deadline)
            self._connection.sendall(_HEADER.pack(_MAGIC, len(data)) + data)
        except TimeoutError:
            raise TooLateError from None
        except OSError as error:
            raise EndedError from error

    def receive(self, deadline: float | None = None) -> Any:
        """Return the next message. Raises EndedError, TooLateError or GarbageError."""
        magic, length = _HEADER.unpack(self._take(_HEADER.size, deadline))
        if magic != _MAGIC:
            raise GarbageError(f"it wrote {magic!r} to a socket that is not its own")
        if length > MAXIMUM_MESSAGE:
            raise GarbageError(f"its answer has {length} bytes; the limit is {MAXIMUM_MESSAGE}")
        try:
            return json.loads(self._take(length, deadline))
        except (ValueError, RecursionError) as error:
            raise GarbageError(f"its answer is not JSON: {error}") from error

    def receive_or_end(self) -> Any:
        """Return the next message, None when the other side is gone."""
        try:
            return self.receive()
        except EndedError:
            return None

    def close(self) -> None:
        """Close the socket."""
        self._connection.close()

    def _take(self, size: int, deadline: float | None) -> bytes:
        parts = [self._waiting]
        length = len(self._waiting)
        while length < size:
            try:
                self._limit(deadline)
                part = self._connection.recv(_PIECE)
            except TimeoutError:
                raise TooLateError from None
            except OSError as error:
                raise EndedError from error
            if not part:
                raise EndedError
            parts.append(part)
            length += len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._waiting = data[size:]
        return data[:size]

    def _limit(self, deadline: float | None) -> None:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooLateError
            self._connection.settimeout(left)
