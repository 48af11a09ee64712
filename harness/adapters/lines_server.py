"""Lines server: offers what an adapter connects in the protocol of `docs/protocol.md`; the other side of `lines`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from readfirst.harness.adapters.sent import received
from readfirst.harness.session import (
    Adapter,
    CompactingSession,
    DelegatingSession,
    InterruptibleSession,
    MentioningSession,
    ParallelSession,
    RacingSession,
    ResumingSession,
    RewindingSession,
    Session,
    ToolResult,
    close_session,
    traits_of,
)

PROTOCOL = 1
"""The version of the protocol, in the first message of both sides."""
UNSPOKEN = frozenset({"stop", "background"})
"""Capabilities for which the protocol has no message; a program that names one does not have it."""

_CANCELLED = "The call was cancelled."


def serve_lines(adapter: Adapter, name: str, version: str, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until there are no more. What a request cannot be met with is answered as a problem."""
    server = _Server(adapter, name, version, asked, answers)
    while (message := server.next()) is not None:
        server.answer(message)


class _ProblemError(Exception):
    pass


class _Cancelled(BaseException):
    """Ends a paused call; no implementation may take it for a failure of its own."""


class _Server:
    def __init__(
        self, adapter: Adapter, name: str, version: str, asked: IO[bytes], answers: IO[bytes]
    ) -> None:
        self._adapter = adapter
        self._offer = {"name": name, "version": version}
        self._asked = asked
        self._answers = answers
        self._sessions: dict[int, Session] = {}

    def next(self) -> dict[str, Any] | None:
        """Return the next message, None at the end of the input."""
        while line := self._asked.readline():
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                self._send({}, {"problem": f"this is not JSON: {error}"})
                continue
            if isinstance(message, dict) and {"id", "do"} <= message.keys():
                return message
            self._send({}, {"problem": "a request is an object with id and do"})
        return None

    def answer(self, message: Mapping[str, Any]) -> None:
        """Meet one request."""
        if message["do"] in ("go", "cancel"):
            return  # the call that it belongs to has been answered
        try:
            answer = self._met(message)
        except _Cancelled:
            answer = {"text": _CANCELLED, "refused": True}
        except _ProblemError as error:
            answer = {"problem": str(error)}
        except KeyError as error:
            answer = {"problem": f"{message['do']} lacks {error}"}
        except Exception as error:
            answer = {"problem": f"{type(error).__name__}: {error}"}
        self._send(message, answer)

    def _send(self, message: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        line = json.dumps({"id": message.get("id"), **answer}, separators=(",", ":"))
        self._answers.write(line.encode("ascii") + b"\n")
        self._answers.flush()

    def _met(self, message: Mapping[str, Any]) -> dict[str, Any]:
        match message["do"]:
            case "hello":
                traits = traits_of(self._adapter)
                design = {"design": traits.design} if traits.design else {}
                return {
                    "protocol": PROTOCOL,
                    **self._offer,
                    "capabilities": sorted(traits.capabilities - UNSPOKEN),
                    **design,
                }
            case "open":
                self._sessions[message["session"]] = self._adapter.open(received(message))
                return {}
            case "close":
                close_session(self._sessions.pop(message["session"]))
                return {}
        session = self._sessions.get(message["session"])
        if session is None:
            raise _ProblemError(f"there is no session {message['session']}")
        match message["do"], session:
            case "call", RacingSession() if message.get("pause"):
                return self._paused(message, session)
            case "cut", InterruptibleSession():
                given = message["tool"], message["text"], message["by"]
                return _sent(session.call_interrupted(*given, lambda: None))
            case "call", _:
                return _sent(session.call(message["tool"], message["arguments"]))
            case "calls", ParallelSession():
                calls = [(each["tool"], each["arguments"]) for each in message["calls"]]
                return {"results": [*map(_sent, session.call_parallel(calls))]}
            case "resume", ResumingSession():
                session.resume()
            case "compact", CompactingSession():
                session.compact()
            case "rewind", RewindingSession():
                session.rewind()
            case "mention", MentioningSession():
                session.mention(message["path"])
            case "agent", DelegatingSession():
                self._sessions[message["agent"]] = session.sub_agent()
            case other, _:
                raise _ProblemError(f"a {type(session).__name__} cannot {other}")
        return {}

    def _paused(self, message: Mapping[str, Any], session: RacingSession) -> dict[str, Any]:
        """Execute a call that waits, once it is valid, until it may go on, or is given up."""
        call = message["tool"], message["arguments"]
        try:
            return _sent(session.call_during(*call, lambda: self._pause(message)))
        except _Cancelled:
            if not isinstance(session, InterruptibleSession):
                raise
            return _sent(session.call_interrupted(*call, "cancelled", lambda: None))

    def _pause(self, message: Mapping[str, Any]) -> None:
        """Say that a call is valid, and wait until it may go on."""
        self._send(message, {"validated": True})
        following = self.next()
        if following is None or following["do"] != "go":
            raise _Cancelled


def _sent(result: ToolResult) -> dict[str, Any]:
    return {
        "text": result.text,
        "refused": result.is_error,
        "error": result.error,
        "reminders": list(result.reminders),
    }
