"""Line program: a program that is spoken with in lines of JSON over its standard input and output.

Whoever floods, is silent for too long or writes something else is ended.
"""

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Unpack

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.processes import trace
from readfirst.harness.processes.supervised_process import Child, SpawnOptions

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one message; whoever writes more without an end floods."""

_PIECE = 1024 * 1024
_FAREWELL = 0.3
"""Seconds that the program gets to end by itself when its input has ended."""
_ERRORS_KEPT = 8192
"""Bytes of the end of its standard error that a breakage quotes."""


class ResponseTimeoutError(Exception):
    """The time was up."""


class GarbledError(Exception):
    """What is wrong with what the program wrote; nothing, where it writes no more."""


class LineProgram(Child):
    """A started program, `called` so in messages; the end of its standard error is kept.

    Not for use by several threads at once, but for `kill`.
    """

    no_message: ClassVar[str] = "answered with something that is not a JSON object"
    """What is said of a line that is no message, before the line itself."""
    escapes: ClassVar[bool] = True
    """Whether it is sent ASCII alone."""

    def __init__(
        self, command: Sequence[str], *, called: str = "the program", **how: Unpack[SpawnOptions]
    ) -> None:
        """Start the program; see `Child`."""
        super().__init__(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
        )
        self.alive = True
        """Whether it was not ended."""
        self.called = called
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin.fileno(), self.process.stdout.fileno()
        for stream in (self._input, self._output):
            os.set_blocking(stream, False)
        self._waiting = bytearray()
        self._silent = False
        self._printed = b""
        self._drainer = threading.Thread(target=self._drain, daemon=True)
        self._drainer.start()

    @property
    def runs(self) -> bool:
        """Whether it has not ended by itself either."""
        return self.alive and self.status() is None

    def say(self, messages: Sequence[Mapping[str, Any]], deadline: float) -> None:
        """Send messages in one piece: a program that reads one of them can read all; `deadline` is by `time.monotonic`.

        Raises TooLateError.
        """
        texts = (json.dumps(each, separators=(",", ":"), ensure_ascii=self.escapes) for each in messages)
        lines = [text.encode("utf-8", "surrogatepass") for text in texts]
        for line in lines:
            trace.frame("->", line)
        left = memoryview(b"".join(line + b"\n" for line in lines))
        while left:
            # It may write an answer meanwhile, and read no further until somebody takes it.
            self._wait(deadline, {self._input: select.POLLOUT})
            try:
                left = left[os.write(self._input, left[:_PIECE]) :]
            except BlockingIOError:
                continue
            except OSError:
                return  # it is gone; reading its answer finds that out

    def heard(self, deadline: float, woken: int | None = None) -> Any:
        """Return the next message. Raises GarbledError, and TooLateError, also where `woken` can be read before."""
        line = b""
        while not line.strip():
            line = self._line(deadline, woken)
        trace.frame("<-", line)
        try:
            return self.parsed(line)
        except (ValueError, RecursionError):
            raise self._garbled(line) from None

    def _line(self, deadline: float, woken: int | None) -> bytes:
        searched = 0
        while (end := self._waiting.find(b"\n", searched)) < 0:
            searched = len(self._waiting)
            if searched > LONGEST_LINE:
                raise GarbledError(f"{self.called} wrote more than {LONGEST_LINE} bytes without a line end")
            if self._silent:
                rest = bytes(self._waiting).strip()
                raise self._garbled(rest) if rest else GarbledError
            if woken in self._wait(deadline, {} if woken is None else {woken: select.POLLIN}):
                raise ResponseTimeoutError
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line

    def parsed(self, line: bytes) -> Any:
        """Return the message of a line. ValueError: it has none."""
        message = json.loads(line.decode("utf-8"))
        if not isinstance(message, dict):
            raise ValueError(message)
        return message

    def broken(self, message: str, what: str) -> BrokenAdapter:
        """Return what went wrong during `what`, with how the program ended, and end it.

        Without a message its output ended; for its own end it gets a moment then.
        """
        status = self.wait(0.0 if message else _FAREWELL)
        if not message:
            message = f"{self.called} {status or 'closed its output'} during {what}"
        elif status:
            message = f"{message} (it {status})"
        self.end(at_once=True)
        return BrokenAdapter(message, details=self._printed.decode("utf-8", "backslashreplace"))

    def end(self, patience: float = _FAREWELL, *, at_once: bool = False) -> None:
        """End its input, and everything in its process group; politely unless `at_once`."""
        if not self.alive:
            return
        self.alive = False
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        super().end(0.0 if at_once else patience)
        self._drainer.join(1.0)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _wait(self, deadline: float, also: Mapping[int, int]) -> set[int]:
        """Wait for one of these events, and take in what the program writes meanwhile."""
        poll = select.poll()
        for stream, event in also.items():
            poll.register(stream, event)
        if (
            not self._silent and len(self._waiting) <= LONGEST_LINE
        ):  # else it waits until what it wrote is taken
            poll.register(self._output, select.POLLIN)
        ready = {stream for stream, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
        if not ready:
            raise ResponseTimeoutError
        if self._output in ready:
            with suppress(BlockingIOError):
                part = os.read(self._output, _PIECE)
                self._waiting += part
                self._silent = not part
        return ready

    def _garbled(self, line: bytes) -> GarbledError:
        shown = line[:200].decode("utf-8", "backslashreplace").strip()
        return GarbledError(f"{self.called} {self.no_message}: {shown}")

    def _drain(self) -> None:
        assert self.process.stderr is not None
        with suppress(OSError, ValueError):
            while part := os.read(self.process.stderr.fileno(), 65536):
                self._printed = (self._printed + part)[-_ERRORS_KEPT:]
