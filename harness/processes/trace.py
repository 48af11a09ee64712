"""Write the call log of `--trace`: calls, raw answers, and the messages of a server, one per line, while the block of
`tracing` is active. Characters that are not printable are escaped as in JSON.
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
    """During the `with` block, write the call log (calls, events and answers) to `stream`."""
    handler = logging.StreamHandler(stream)
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        _LOG.setLevel(logging.NOTSET)
        _LOG.removeHandler(handler)


def scenario(scenario_id: str, root: str) -> None:
    """Write to the call log that a scenario starts in the workspace at `root`."""
    if _LOG.handlers:
        _write_line(f"{scenario_id} in {root}")


def call(number: int, tool: str, arguments: Mapping[str, Any]) -> None:
    """Write a call to the call log. `number` is the number of its step, from 1."""
    if _LOG.handlers:
        _write_line(f"{number:>3} -> {tool} {_format_json(arguments)}")


def event(number: int, event: WorldEvent | SessionEvent) -> None:
    """Write an event to the call log. `number` is the number of its step, from 1."""
    if _LOG.handlers:
        _write_line(f"{number:>3}    {event.kind} {_format_json(event.path) if event.path else ''}".rstrip())


def answers(number: int, results: Sequence[ToolResult]) -> None:
    """Write the answers to the calls of a step to the call log. `number` is the number of the step, from 1."""
    for result in results if _LOG.handlers else ():
        _write_line(f"{number:>3} <- {'refused' if result.is_error else 'ok'} {_format_json(result.text)}")


def frame(direction: str, line: bytes | str) -> None:
    """Write a message to or from a server to the call log. `direction` is `->` if sent, `<-` if received."""
    if _LOG.handlers:
        text = line.decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
        _write_line(f"    {direction} {text.rstrip()}")


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write_line(line: str) -> None:
    if not line.isprintable():
        line = "".join(
            character if character.isprintable() else json.dumps(character)[1:-1] for character in line
        )
    _LOG.debug("%s", line)
