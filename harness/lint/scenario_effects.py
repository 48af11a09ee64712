"""Lint checks of the effects of calls and events in a scenario, and a fingerprint to find equal scenarios."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from readfirst.harness.suite.answer_shorthand import apply_step
from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.file_entry import Base64Content, Entry, RegularFile, TextContent
from readfirst.harness.suite.lint_context import LintContext, position_or_start
from readfirst.harness.suite.scenario import Scenario, ToolCall, events_of, parts_of
from readfirst.harness.yaml_io.finding import Finding

_MAX_COMPARED_CHARS = 1024
"""Maximum length of an argument in a fingerprint, in characters. Longer arguments are replaced by digests."""


def check_effects(case: LintContext) -> Iterator[Finding]:
    """Yield a finding if a scenario contains no call, and findings about events without an effect."""
    scenario = case.scenario
    if not any(scenario.calls()):
        fix = "Add a call, or remove the scenario."
        yield case.finding("no-call", ("steps",), "no step calls a tool", fix, key=True)
    yield from _check_events(case)


def _check_events(case: LintContext) -> Iterator[Finding]:
    """Yield findings about events that change nothing, or that name a missing file, as far as the files are known."""
    files: dict[str, Entry | None] = dict(case.scenario.given.files)
    written, is_certain = {**files}, True
    for step in case.scenario.steps:
        for event in events_of(step):
            path = event.path
            exists = files.get(path) is not None or any(each.startswith(f"{path}/") for each in files)
            if WORLD_EVENTS[event.kind].must_exist and is_certain and not exists:
                fix = "Give the file, create it in an earlier step, or correct the path."
                message = f"nothing before this {event.kind} makes {path!r}"
                yield Finding("missing-event-path", position_or_start(event.position, case), message, fix)
            if event.kind == "modify" and _has_same_content(written.get(path), event.entry):
                fix = "Write different content, or use touch:."
                message = f"{path!r} already has this content"
                yield Finding("noop-modify", position_or_start(event.position, case), message, fix)
            apply_step(event, files)
            apply_step(event, written)
            is_certain = is_certain and bool(files)
        for part in parts_of(step):
            written = {}
            if part.expect.recorded is not None:
                files.update(part.expect.recorded.files)
            elif isinstance(part, ToolCall):
                # This call may create or change any file.
                files, is_certain = {}, False


def _has_same_content(before: Entry | None, after: Entry | None) -> bool:
    return (
        isinstance(before, RegularFile)
        and isinstance(after, RegularFile)
        and after.data == before.data
        and after.mode in (None, before.mode)
    )


def fingerprint(scenario: Scenario) -> str:
    """Return a digest of the workspace and the steps. It does not depend on the form of the YAML."""
    setup = replace(scenario.given, reminders=False, deny=tuple(sorted(scenario.given.deny)))
    return _digest_of(_ENCODE([setup, scenario.steps]).encode())


def _as_json(value: Any) -> Any:
    """Convert a part of a scenario to JSON types for the fingerprint: digests of contents, no expectations."""
    match value:
        case TextContent() | Base64Content():
            return _digest_of(value.data())
        case ToolCall():
            return [
                *_comparable_fields(value),
                {name: _shorten_argument(argument) for name, argument in value.arguments.items()},
            ]
        case Mapping():
            return {**value}
        case _ if is_dataclass(value):
            return _comparable_fields(value)
        case _:
            return str(value)


_ENCODE = json.JSONEncoder(sort_keys=True, default=_as_json).encode


def _shorten_argument(argument: Any) -> Any:
    """Return an argument for the fingerprint. A long text becomes a digest, padded so that no short text is equal."""
    if isinstance(argument, str) and len(argument) > _MAX_COMPARED_CHARS:
        return _digest_of(argument.encode("utf-8", "surrogatepass")).ljust(_MAX_COMPARED_CHARS + 1)
    return argument


def _comparable_fields(value: Any) -> list[Any]:
    kind: Any = type(value)
    return [kind.__name__, *(getattr(value, name) for name in _fields_of(kind))]


@cache
def _fields_of(kind: Any) -> Sequence[str]:
    """Return the names of those fields of a dataclass that are part of the fingerprint."""
    return [field.name for field in fields(kind) if field.name not in ("position", "expect", "arguments")]


def _digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
