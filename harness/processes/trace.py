"""Trace: what happens in a scenario, step by step: calls, raw answers, and the frames of a server.

Nothing is printed unless somebody listens (`tracing`). Each line is one thing that happened; whatever is not
printable is escaped as in JSON.
"""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.suite.scenario import SessionEvent, WorldEvent

_LOG = logging.getLogger("readfirst.trace")
_LOG.propagate = False


@contextmanager
def tracing(stream: IO[str]) -> Iterator[None]:
    """Write what happens from now on to a stream."""
    handler = logging.StreamHandler(stream)
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        _LOG.setLevel(logging.NOTSET)
        _LOG.removeHandler(handler)


def scenario(scenario_id: str, root: str) -> None:
    """A scenario begins, in the workspace at `root`."""
    if _LOG.handlers:
        _write(f"{scenario_id} in {root}")


def call(number: int, tool: str, arguments: Mapping[str, Any]) -> None:
    """Step `number`, from 1, asks for a call."""
    if _LOG.handlers:
        _write(f"{number:>3} -> {tool} {_json(arguments)}")


def event(number: int, event: WorldEvent) -> None:
    """Step `number` changes the workspace, which is not a call."""
    if _LOG.handlers:
        _write(f"{number:>3}    {event.kind} {_json(event.path)}")


def session_event(number: int, event: SessionEvent) -> None:
    """Step `number` concerns the conversation itself."""
    if _LOG.handlers:
        _write(
            f"{number:>3}    {event.kind} {_json(event.path)}"
            if event.path
            else f"{number:>3}    {event.kind}"
        )


def answers(number: int, results: Sequence[ToolResult]) -> None:
    """The calls of step `number` were answered, with these texts."""
    for result in results if _LOG.handlers else ():
        _write(f"{number:>3} <- {'refused' if result.is_error else 'ok'} {_json(result.text)}")


def frame(direction: str, line: bytes | str) -> None:
    """A message of a server's protocol went out (`->`) or came in (`<-`)."""
    if _LOG.handlers:
        text = line.decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
        _write(f"    {direction} {text.rstrip()}")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(line: str) -> None:
    if not line.isprintable():
        line = "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
    _LOG.debug("%s", line)
