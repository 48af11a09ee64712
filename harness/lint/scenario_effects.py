"""Lint checks of the effects of calls and events in a scenario, and a fingerprint to find equal scenarios."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from readfirst.harness.lint.check import LintContext, position_or_start
from readfirst.harness.suite.answer_shorthand import apply_step
from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.file_entry import Base64Content, Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import Scenario, ToolCall, events_of, parts_of
from readfirst.harness.yaml_io.finding import Finding


def check_effects(case: LintContext) -> Iterator[Finding]:
    """Yield a finding if a scenario contains no call, or an event that changes nothing or needs a missing file."""
    if not any(case.scenario.calls()):
        fix = "Add a call, or remove the scenario."
        yield case.finding("no-call", ("steps",), "no step calls a tool", fix, key=True)
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
    """Return a digest of the workspace and the steps. It does not depend on the formatting of the YAML."""
    setup = replace(scenario.given, reminders=False, deny=tuple(sorted(scenario.given.deny)))
    text = json.dumps([setup, scenario.steps], sort_keys=True, default=_as_json)
    return hashlib.sha256(text.encode()).hexdigest()


def _as_json(value: Any) -> Any:
    """Convert a value of a scenario to JSON types for the fingerprint: contents as digests, no expected results."""
    match value:
        case TextContent() | Base64Content():
            return hashlib.sha256(value.data()).hexdigest()
        case Mapping():
            return {**value}
        case _ if is_dataclass(value):
            names = [field.name for field in fields(value) if field.name not in ("position", "expect")]
            return [type(value).__name__, *(getattr(value, name) for name in names)]
        case _:
            return str(value)
