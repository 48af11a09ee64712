"""Start a program and exchange JSON Lines with it through its standard streams, with limits for time and size."""

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes import trace
from readfirst.harness.processes.supervised_process import Child

MAX_LINE_BYTES = 64 * 1024 * 1024
"""Maximum bytes of one message that a program sends. A program that sends a longer message is ended."""

_MAX_READ_BYTES = 1024 * 1024
_EXIT_TIMEOUT_S = 0.3
"""Seconds to wait for the exit of the program after its input is closed."""
_MAX_ERROR_BYTES = 8192
"""Number of bytes at the end of the program's standard error that are used in error messages."""


class ResponseTimeoutError(Exception):
    """Raised if a program does not respond in time."""


class GarbledError(Exception):
    """Raised for an invalid message. The text describes the error. Empty if the program closed its output."""


class LineProgram(Child):
    """A running program that reads and writes JSON objects, one per line, such as an MCP server. `name` is used in
    error messages. Only the method `kill` is thread-safe.
    """

    invalid_line_message: ClassVar[str] = "answered with something that is not a JSON object"
    """Part of the error message about an invalid line, before the quoted line."""
    ascii_only: ClassVar[bool] = True
    """Whether other characters than ASCII are escaped in messages to the program."""

    def __init__(self, command: Sequence[str], *, name: str = "the program", **options: Any) -> None:
        """Start the program. The options are those of `Child`."""
        super().__init__(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        self.alive = True
        """False if this process has ended the program."""
        self.name = name
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin.fileno(), self.process.stdout.fileno()
        for stream in (self._input, self._output):
            os.set_blocking(stream, False)
        self._unread = bytearray()
        self._has_closed_output = False
        self._errors = b""
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the program still runs."""
        return self.alive and self.status() is None

    def send(self, messages: Sequence[Mapping[str, Any]], deadline: float) -> None:
        """Send several messages in one write. Raises ResponseTimeoutError if the program has not read the messages by
        `deadline`, a time of `time.monotonic`.
        """
        lines = [
            json.dumps(message, separators=(",", ":"), ensure_ascii=self.ascii_only).encode(
                "utf-8", "surrogatepass"
            )
            for message in messages
        ]
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

    def receive(self, deadline: float, cancel_fd: int | None = None) -> Any:
        """Return the program's next message. Raises GarbledError for an invalid message or the end of the output.
        Raises ResponseTimeoutError at the deadline, or if `cancel_fd` becomes readable first.
        """
        line = b""
        while not line.strip():
            line = self._read_line(deadline, cancel_fd)
        trace.frame("<-", line)
        try:
            return self.parse_message(line)
        except (ValueError, RecursionError):
            raise self._invalid_line_error(line) from None

    def _read_line(self, deadline: float, cancel_fd: int | None) -> bytes:
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if searched > MAX_LINE_BYTES:
                raise GarbledError(f"{self.name} wrote more than {MAX_LINE_BYTES} bytes without a line end")
            if self._has_closed_output:
                rest = bytes(self._unread).strip()
                raise self._invalid_line_error(rest) if rest else GarbledError
            events = {} if cancel_fd is None else {cancel_fd: select.POLLIN}
            if cancel_fd in self._wait_for_event(deadline, events):
                raise ResponseTimeoutError
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def parse_message(self, line: bytes) -> Any:
        """Parse a line of the program's output, and return the message. Raises ValueError if the line is invalid."""
        message = json.loads(line.decode("utf-8"))
        if not isinstance(message, dict):
            raise ValueError(message)
        return message

    def end_with_error(self, message: str, request: str) -> AdapterError:
        """End the program, and return an error with `message`, the exit status and the end of standard error. If
        `message` is empty, the error states that the program closed its output during `request`.
        """
        status = self.wait(0.0 if message else _EXIT_TIMEOUT_S)
        if not message:
            message = f"{self.name} {status or 'closed its output'} during {request}"
        elif status:
            message = f"{message} (it {status})"
        self.end(0.0)
        return AdapterError(message, details=self._errors.decode("utf-8", "backslashreplace"))

    def end(self, timeout: float = _EXIT_TIMEOUT_S) -> None:
        """Close the input, wait at most `timeout` seconds for the exit, and end the process group."""
        if not self.alive:
            return
        self.alive = False
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        super().end(timeout)
        self._error_reader.join(1.0)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _wait_for_event(self, deadline: float, events: Mapping[int, int]) -> set[int]:
        """Wait until one of the `events` (poll events by descriptor) occurs, or until the program has written output.
        Return the ready descriptors. Raises ResponseTimeoutError at the deadline.
        """
        poll = select.poll()
        for stream, event in events.items():
            poll.register(stream, event)
        # If too much output is unread, the program must wait.
        if not self._has_closed_output and len(self._unread) <= MAX_LINE_BYTES:
            poll.register(self._output, select.POLLIN)
        ready = {stream for stream, _ in poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
        if not ready:
            raise ResponseTimeoutError
        if self._output in ready:
            with suppress(BlockingIOError):
                part = os.read(self._output, _MAX_READ_BYTES)
                self._unread += part
                self._has_closed_output = not part
        return ready

    def _invalid_line_error(self, line: bytes) -> GarbledError:
        excerpt = line[:200].decode("utf-8", "backslashreplace").strip()
        return GarbledError(f"{self.name} {self.invalid_line_message}: {excerpt}")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with suppress(OSError, ValueError):
            while part := os.read(self.process.stderr.fileno(), 65536):
                self._errors = (self._errors + part)[-_MAX_ERROR_BYTES:]
