"""Lint checks for the effects of a scenario, and for scenarios with the same effects."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from readfirst.harness.suite.answer_shorthand import make
from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.file_entry import Base64Content, Entry, RegularFile, TextContent
from readfirst.harness.suite.lint_context import LintContext, at
from readfirst.harness.suite.scenario import Scenario, ToolCall, events_of, parts_of
from readfirst.harness.yaml_io.finding import Finding

_LONG = 1024
"""Length in characters from which on the digest of a text is compared."""


def check_content(case: LintContext) -> Iterator[Finding]:
    """Yield findings about given files, calls and world events."""
    scenario = case.scenario
    if not any(scenario.calls()):
        fix = "Add a call, or remove the scenario."
        yield case.finding("no-call", ("steps",), "no step calls a tool", fix, key=True)
    yield from _events(case)


def _events(case: LintContext) -> Iterator[Finding]:
    """Track the entry at each path, as far as it is certain, and entries created since the last call."""
    files: dict[str, Entry | None] = dict(case.scenario.given.files)
    put, certain = {**files}, True
    for step in case.scenario.steps:
        for event in events_of(step):
            path = event.path
            exists = files.get(path) is not None or any(each.startswith(f"{path}/") for each in files)
            if WORLD_EVENTS[event.kind].must_exist and certain and not exists:
                fix = "Give the file, create it in an earlier step, or correct the path."
                message = f"nothing before this {event.kind} makes {path!r}"
                yield Finding("missing-event-path", at(event.position, case), message, fix)
            if event.kind == "modify" and _same(put.get(path), event.entry):
                fix = "Write different content, or use touch:."
                message = f"{path!r} already has this content"
                yield Finding("noop-modify", at(event.position, case), message, fix)
            make(event, files)
            make(event, put)
            certain = certain and bool(files)
        for part in parts_of(step):
            put = {}
            if part.expect.recorded is not None:
                files.update(part.expect.recorded.files)
            elif isinstance(part, ToolCall):
                # It may create or change any file.
                files, certain = {}, False


def _same(before: Entry | None, after: Entry | None) -> bool:
    return (
        isinstance(before, RegularFile)
        and isinstance(after, RegularFile)
        and after.data == before.data
        and after.mode in (None, before.mode)
    )


def fingerprint(scenario: Scenario) -> str:
    """Return a digest of workspace and steps. Equal for scenarios that do the same in a different notation."""
    given = replace(scenario.given, reminders=False, deny=tuple(sorted(scenario.given.deny)))
    return _digest(_ENCODE([given, scenario.steps]).encode())


def _parts(value: Any) -> Any:
    """Convert a value to JSON types, files to their content, without expectations."""
    match value:
        case TextContent() | Base64Content():
            return _digest(value.data())
        case ToolCall():
            return [*_compared(value), {name: _short(each) for name, each in value.arguments.items()}]
        case Mapping():
            return {**value}
        case _ if is_dataclass(value):
            return _compared(value)
        case _:
            return str(value)


_ENCODE = json.JSONEncoder(sort_keys=True, default=_parts).encode


def _short(argument: Any) -> Any:
    """Return an argument, or the digest of a long text, if no shorter text equals it."""
    if isinstance(argument, str) and len(argument) > _LONG:
        return _digest(argument.encode("utf-8", "surrogatepass")).ljust(_LONG + 1)
    return argument


def _compared(value: Any) -> list[Any]:
    kind: Any = type(value)
    return [kind.__name__, *(getattr(value, name) for name in _fields_of(kind))]


@cache
def _fields_of(kind: Any) -> Sequence[str]:
    """Return the names of a dataclass's fields that distinguish scenarios."""
    return [each.name for each in fields(kind) if each.name not in ("position", "expect", "arguments")]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
