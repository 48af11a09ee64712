"""Line program: a program that exchanges JSON messages, one a line, over its standard input and output.

Whoever floods, is silent for too long or writes something else than the answer is ended. `docs/protocol.md` describes
the messages.
"""

import itertools
import json
import os
import select
import time
from collections.abc import Callable, Mapping
from signal import SIGKILL
from typing import Any

from readfirst.harness.processes import trace
from readfirst.harness.processes.child import PipedChild
from readfirst.harness.session import BrokenAdapter

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one message; whoever writes more without an end floods."""

_PIECE = 1024 * 1024
_FAREWELL = 0.3
"""Seconds that the program gets to end by itself when its input has ended."""


class ProblemError(BrokenAdapter):
    """The program answered with a problem; `answer` is what it said."""

    def __init__(self, message: str, answer: Mapping[str, Any]) -> None:
        super().__init__(message, details=str(answer.get("details", "")))
        self.answer = answer


class LineProgram:
    """A started program, `called` so in messages. Not for use by several threads at once."""

    def __init__(self, child: PipedChild, *, called: str = "the program", last_chance: float = 1.0) -> None:
        """Speak with a program that was just started. `last_chance`: seconds to answer a call that was cancelled."""
        self.alive = True
        self._child = child
        self.called = called
        self._last_chance = last_chance
        process = self._child.process
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        for stream in (self._input, self._output):
            os.set_blocking(stream, False)
        self._numbers = itertools.count(1)
        self._waiting = b""

    @property
    def pid(self) -> int:
        """The number of the process that watches over the program."""
        return self._child.pid

    def warn(self) -> None:
        """Say what of its isolation the system does not allow."""
        self._child.warn()

    def ask(
        self,
        message: Mapping[str, Any],
        what: str,
        limit: float,
        interfere: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Send a request and return its answer, running `interfere` where the program says that it has validated.

        `limit` is in seconds, without the time that `interfere` takes; then the call is cancelled. A request that says
        how it `ends` is cancelled after `interfere`; others go on.

        Raises:
            BrokenAdapter: No proper answer in time, and the program is ended; or it has answered with a problem.
        """
        if not self.alive:
            raise BrokenAdapter(f"{self.called} had already ended")
        number = next(self._numbers)
        try:
            answer = self._exchange({"id": number, **message}, limit)
            if "validated" in answer and interfere is not None:
                try:
                    interfere()
                except BaseException:
                    self._exchange({"id": number, "do": "cancel"}, limit)
                    raise
                answer = self._exchange({"id": number, "do": "cancel" if "ends" in message else "go"}, limit)
        except _TooLateError:
            raise self._late(number, what, limit) from None
        except _BrokenError as error:
            raise self._broken(str(error) and f"{self.called} {error}", what) from None
        except BaseException:
            self.end(at_once=True)
            raise
        if "problem" in answer:
            problem = f"{self.called} has a problem with {what}: {str(answer['problem'])[:2000]}"
            raise ProblemError(problem, answer)
        return answer

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the program, or send it another signal; who waits for its answer learns that it has ended."""
        return self._child.kill(number)

    def end(self, *, at_once: bool = False) -> None:
        """End the program and everything in its group; politely unless `at_once`."""
        if not self.alive:
            return
        self.alive = False
        self._child.end(0.0 if at_once else _FAREWELL)

    def _late(self, number: int, what: str, limit: float) -> BrokenAdapter:
        """Cancel a call that took too long; a program that does not answer even then is ended."""
        message = f"{what} took longer than {limit:g} s"
        try:
            self._exchange({"id": number, "do": "cancel"}, self._last_chance)
        except (_TooLateError, _BrokenError):
            return self._broken(message, what)
        return BrokenAdapter(message)

    def _exchange(self, message: Mapping[str, Any], limit: float) -> dict[str, Any]:
        deadline = time.monotonic() + limit
        self._send(message, deadline)
        answer = self._receive(deadline)
        if answer.get("id") != message["id"]:
            raise _BrokenError(f"answered request {answer.get('id')!r}, not {message['id']}")
        return answer

    def _send(self, message: Mapping[str, Any], deadline: float) -> None:
        line = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
        trace.frame("->", line)
        left = memoryview(line)
        while left:
            self._wait(self._input, select.POLLOUT, deadline)
            try:
                left = left[os.write(self._input, left[:_PIECE]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise _BrokenError("") from None

    def _receive(self, deadline: float) -> dict[str, Any]:
        parts = [self._waiting]
        length = len(self._waiting)
        while b"\n" not in parts[-1]:
            if length > LONGEST_LINE:
                raise _BrokenError(f"wrote more than {LONGEST_LINE} bytes without a line end")
            self._wait(self._output, select.POLLIN, deadline)
            try:
                part = os.read(self._output, _PIECE)
            except BlockingIOError:
                continue
            if not part:
                rest = b"".join(parts).strip()
                raise _BrokenError(_garbage(rest) if rest else "")
            parts.append(part)
            length += len(part)
        line, _, self._waiting = b"".join(parts).partition(b"\n")
        trace.frame("<-", line)
        try:
            answer = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            raise _BrokenError(_garbage(line)) from None
        if not isinstance(answer, dict):
            raise _BrokenError(_garbage(line))
        return answer

    def _wait(self, stream: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(stream, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise _TooLateError

    def _broken(self, message: str, what: str) -> BrokenAdapter:
        """Return what went wrong, with how the program ended, and end it."""
        described = self._child.fate(self.called, message, what, _FAREWELL)
        self.end(at_once=True)
        return BrokenAdapter(described, details=self._child.printed)


class _TooLateError(Exception):
    pass


class _BrokenError(Exception):
    """What is wrong with what the program wrote; nothing, where it writes no more."""


def _garbage(line: bytes) -> str:
    shown = line[:200].decode("utf-8", "backslashreplace").strip()
    return f"answered with something that is not a JSON object: {shown}"
