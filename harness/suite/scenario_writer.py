"""Write generated scenarios as YAML, without expectations."""

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.case_table import SCENARIO_KEYS
from readfirst.harness.suite.events import EVENTS_WITH_STEPS
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import Seconds, Symlink, shift_text
from readfirst.harness.suite.repeated_text import with_short_forms
from readfirst.harness.suite.scenario import (
    Given,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.yaml_io.yaml_writer import emit_flow, emit_mapping


def scenario_values(scenario: Scenario) -> dict[str, Any]:
    """Return the keys and values of a scenario file, without expectations, in the usual order of keys. Raises
    ValueError if the scenario uses something that a generated scenario cannot contain, such as hooks.
    """
    metadata = {
        "title": scenario.title,
        "about": scenario.about,
        "requirement": scenario.requirement,
        "rule": scenario.rule,
        "tags": list(scenario.tags),
        "sources": list(scenario.sources),
        "given": _given_values(scenario.given),
    }
    return {
        **{key: value for key, value in metadata.items() if value},
        "steps": [*map(_step_values, scenario.steps)],
    }


def _given_values(given: Given) -> dict[str, Any]:
    if given.hooks or given.permissions or given.disk is not None or given.memory_files or given.reminders:
        raise ValueError("a generated scenario contains only files and deny rules")
    files = {path: entry_value(entry) for path, entry in given.files.items()}
    return {key: value for key, value in (("files", files), ("deny", list(given.deny))) if value}


def _step_values(step: Step) -> dict[str, Any]:
    match step:
        case WorldEvent():
            return dict([_event_item(step)])
        case ToolCall(tool, arguments, during, interrupted=interrupted):
            call = {tool: with_short_forms(arguments)}
            ended = {"interrupted": interrupted} if interrupted else {}
            events = {"during": [dict([_event_item(event)]) for event in during]} if during else {}
            return {**call, **events, **ended}
        case ParallelCalls(calls):
            if step.sides:
                raise ValueError("a generated scenario contains no simultaneous sessions")
            return {"parallel": [_step_values(call) for call in calls]}
        case SessionEvent(kind=kind):
            raise ValueError(f"cannot write a step of the kind {kind}: generated scenarios do not use it")


def _event_item(event: WorldEvent) -> tuple[str, Any]:
    match event.kind:
        case "modify":
            assert event.entry is not None
            content = entry_value(event.entry)
            if event.mtime == 2:
                return "modify", {event.path: content}
            fields = {"text": content} if isinstance(content, str) else dict(content)
            return "modify", {event.path: {**fields, "mtime": _shift_text(event.mtime)}}
        case "touch":
            if event.mtime == 2:
                return "touch", event.path
            return "touch", {event.path: {"mtime": _shift_text(event.mtime or 0)}}
        case "rename":
            return "rename", {event.path: event.to}
        case "chmod":
            return "chmod", {event.path: f"{event.mode or 0:04o}"}
        case "symlink":
            assert isinstance(event.entry, Symlink)
            return "symlink", {event.path: event.entry.target}
        case "delete" | "mkdir" | "mount" | "unmount" | "git":
            return event.kind, event.path
        case "buffer":
            assert event.entry is not None
            return "buffer", {event.path: entry_value(event.entry)}


def _shift_text(seconds: Seconds | None) -> str:
    return "same" if seconds is None else shift_text(seconds)


_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/scenario.schema.json"
_MAX_LINE_CHARS = 110
_LIST_KEYS = ("parallel", "during", "steps")


def scenario_text(values: Mapping[str, Any]) -> str:
    """Return the text of a scenario file with the keys and values `values`."""
    ordered = {key: values[key] for key in SCENARIO_KEYS if key in values}
    return "\n".join([_SCHEMA_LINE, *yaml_lines(ordered, 0)]) + "\n"


def yaml_lines(values: Mapping[str, Any], indent: int) -> list[str]:
    """Return a part of a scenario as lines of YAML. Short values, except files and expectations, use one line."""
    lines = []
    for key, value in values.items():
        name = f"{' ' * indent}{emit_flow(key)}:"
        flow = f"{name} {emit_flow(value)}"
        if key in _LIST_KEYS and isinstance(value, list):
            lines.append(name)
            for each in value:
                first, *rest = yaml_lines(each, indent + 4)
                lines += [f"{' ' * (indent + 2)}- {first.lstrip()}", *rest]
        elif key in ("given", *EVENTS_WITH_STEPS) and isinstance(value, dict):
            lines += [name, *yaml_lines(value, indent + 2)]
        elif (
            isinstance(value, dict | list) and key not in ("files", "expect") and len(flow) <= _MAX_LINE_CHARS
        ):
            lines.append(flow)
        else:
            lines += emit_mapping({key: value}, indent)
    return lines
