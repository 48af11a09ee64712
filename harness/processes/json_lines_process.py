"""A program with JSON Lines on its standard streams, killed if it writes too much, invalid lines, or too late."""

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Unpack

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes import trace
from readfirst.harness.processes.supervised_process import Child, SpawnOptions

LONGEST_LINE = 64 * 1024 * 1024
"""Maximum bytes of one message of a program. A program that writes a longer message is ended."""

_MAX_READ_BYTES = 1024 * 1024
_EXIT_TIMEOUT_S = 0.3
"""Seconds that the program may take to exit after its input is closed."""
_MAX_ERROR_BYTES = 8192
"""Number of bytes at the end of the program's standard error that error messages contain."""


class ResponseTimeoutError(Exception):
    """The program did not respond in time."""


class GarbledError(Exception):
    """The output of the program is invalid, or has ended; then the message is empty."""


class LineProgram(Child):
    """A running program, `called` so in messages. Keeps the end of its errors. Only `kill` is thread-safe."""

    no_message: ClassVar[str] = "answered with something that is not a JSON object"
    """Message about an invalid line, before the line itself."""
    escapes: ClassVar[bool] = True
    """Whether messages to the program are ASCII only."""

    def __init__(
        self, command: Sequence[str], *, called: str = "the program", **how: Unpack[SpawnOptions]
    ) -> None:
        """Start the program. See `Child`."""
        super().__init__(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
        )
        self.alive = True
        """Whether the program was not ended by this process."""
        self.called = called
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin.fileno(), self.process.stdout.fileno()
        for stream in (self._input, self._output):
            os.set_blocking(stream, False)
        self._waiting = bytearray()
        self._silent = False
        self._printed = b""
        self._drainer = threading.Thread(target=self._read_errors, daemon=True)
        self._drainer.start()

    @property
    def runs(self) -> bool:
        """Whether the program still runs."""
        return self.alive and self.status() is None

    def say(self, messages: Sequence[Mapping[str, Any]], deadline: float) -> None:
        """Send messages in one write, so that a program that reads the first can also read the others. `deadline` is
        a time of `time.monotonic`.

        Raises ResponseTimeoutError if the program does not read them in time.
        """
        texts = (
            json.dumps(message, separators=(",", ":"), ensure_ascii=self.escapes) for message in messages
        )
        lines = [text.encode("utf-8", "surrogatepass") for text in texts]
        for line in lines:
            trace.frame("->", line)
        unsent = memoryview(b"".join(line + b"\n" for line in lines))
        while unsent:
            # The program may write an answer at the same time, and stop reading until that answer is read.
            self._wait_for_event(deadline, {self._input: select.POLLOUT})
            try:
                unsent = unsent[os.write(self._input, unsent[:_MAX_READ_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError:
                return  # the program has exited; reading its answer will report it

    def heard(self, deadline: float, woken: int | None = None) -> Any:
        """Wait for the next message of the program, and return it.

        Raises GarbledError for an invalid message or the end of the output. Raises ResponseTimeoutError at the
        deadline, or if the descriptor `woken` becomes readable before the message arrives.
        """
        line = b""
        while not line.strip():
            line = self._read_line(deadline, woken)
        trace.frame("<-", line)
        try:
            return self.parsed(line)
        except (ValueError, RecursionError):
            raise self._invalid_line_error(line) from None

    def _read_line(self, deadline: float, woken: int | None) -> bytes:
        searched = 0
        while (end := self._waiting.find(b"\n", searched)) < 0:
            searched = len(self._waiting)
            if searched > LONGEST_LINE:
                raise GarbledError(f"{self.called} wrote more than {LONGEST_LINE} bytes without a line end")
            if self._silent:
                rest = bytes(self._waiting).strip()
                raise self._invalid_line_error(rest) if rest else GarbledError
            if woken in self._wait_for_event(deadline, {} if woken is None else {woken: select.POLLIN}):
                raise ResponseTimeoutError
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line

    def parsed(self, line: bytes) -> Any:
        """Return the message that a line contains. Raises ValueError if the line is invalid."""
        message = json.loads(line.decode("utf-8"))
        if not isinstance(message, dict):
            raise ValueError(message)
        return message

    def end_with_error(self, message: str, what: str) -> AdapterError:
        """End the program, and return an error with a message, the exit status and the end of standard error. `what`
        is the request that failed.

        An empty message means that the program closed its output. The method then waits until the program has exited,
        because the error contains its exit status.
        """
        status = self.wait(0.0 if message else _EXIT_TIMEOUT_S)
        if not message:
            message = f"{self.called} {status or 'closed its output'} during {what}"
        elif status:
            message = f"{message} (it {status})"
        self.end(at_once=True)
        return AdapterError(message, details=self._printed.decode("utf-8", "backslashreplace"))

    def end(self, patience: float = _EXIT_TIMEOUT_S, *, at_once: bool = False) -> None:
        """Close the program's input, wait at most `patience` seconds (not if `at_once`), and end its process group."""
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

    def _wait_for_event(self, deadline: float, also: Mapping[int, int]) -> set[int]:
        """Wait for an event of `also`, by descriptor, and read output meanwhile. Return the ready descriptors."""
        poll = select.poll()
        for stream, event in also.items():
            poll.register(stream, event)
        if (
            not self._silent and len(self._waiting) <= LONGEST_LINE
        ):  # otherwise the program waits until its output is read
            poll.register(self._output, select.POLLIN)
        ready = {stream for stream, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
        if not ready:
            raise ResponseTimeoutError
        if self._output in ready:
            with suppress(BlockingIOError):
                part = os.read(self._output, _MAX_READ_BYTES)
                self._waiting += part
                self._silent = not part
        return ready

    def _invalid_line_error(self, line: bytes) -> GarbledError:
        excerpt = line[:200].decode("utf-8", "backslashreplace").strip()
        return GarbledError(f"{self.called} {self.no_message}: {excerpt}")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with suppress(OSError, ValueError):
            while part := os.read(self.process.stderr.fileno(), 65536):
                self._printed = (self._printed + part)[-_MAX_ERROR_BYTES:]
