"""Write scenarios as YAML, without expectations."""

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.case_table import SCENARIO_KEYS
from readfirst.harness.suite.events import WITH_STEPS
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import (
    Seconds,
    Symlink,
    shift_text,
)
from readfirst.harness.suite.repeated_text import in_short_form
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


def values_of(scenario: Scenario) -> dict[str, Any]:
    """Return the content of a scenario file, without expectations. The keys are in their usual order. Raises ValueError
    for a scenario with parts that generated scenarios do not have.
    """
    heading = {
        "title": scenario.title,
        "about": scenario.about,
        "requirement": scenario.requirement,
        "rule": scenario.rule,
        "tags": list(scenario.tags),
        "sources": list(scenario.sources),
        "given": _lines_of_given(scenario.given),
    }
    return {**{key: value for key, value in heading.items() if value}, "steps": [*map(_step, scenario.steps)]}


def _lines_of_given(given: Given) -> dict[str, Any]:
    if given.hooks or given.permissions or given.disk is not None or given.memory_files or given.reminders:
        raise ValueError("no generated scenario has more than files and deny rules")
    files = {path: entry_value(entry) for path, entry in given.files.items()}
    return {key: value for key, value in (("files", files), ("deny", list(given.deny))) if value}


def _step(step: Step) -> dict[str, Any]:
    match step:
        case WorldEvent():
            return dict([_event(step)])
        case ToolCall(tool, arguments, during, interrupted=interrupted):
            call = {tool: in_short_form(arguments)}
            ended = {"interrupted": interrupted} if interrupted else {}
            events = {"during": [dict([_event(event)]) for event in during]} if during else {}
            return {**call, **events, **ended}
        case ParallelCalls(calls):
            if step.sides:
                raise ValueError("no generated scenario has sessions that act at once")
            return {"parallel": [_step(call) for call in calls]}
        case SessionEvent(kind=kind):
            raise ValueError(f"no generated scenario has a step {kind}")


def _event(event: WorldEvent) -> tuple[str, Any]:
    match event.kind:
        case "modify":
            assert event.entry is not None
            content = entry_value(event.entry)
            if event.mtime == 2:
                return "modify", {event.path: content}
            fields = {"text": content} if isinstance(content, str) else dict(content)
            return "modify", {event.path: {**fields, "mtime": _shift(event.mtime)}}
        case "touch":
            if event.mtime == 2:
                return "touch", event.path
            return "touch", {event.path: {"mtime": _shift(event.mtime or 0)}}
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


def _shift(seconds: Seconds | None) -> str:
    return "same" if seconds is None else shift_text(seconds)


_SCHEMA = "# yaml-language-server: $schema=../../schema/scenario.schema.json"
_WIDE = 110
_LISTS = ("parallel", "during", "steps")


def scenario_text(values: Mapping[str, Any]) -> str:
    """Return the text of a scenario file with this content."""
    ordered = {key: values[key] for key in SCENARIO_KEYS if key in values}
    return "\n".join([_SCHEMA, *lines_of(ordered, 0)]) + "\n"


def lines_of(values: Mapping[str, Any], indent: int) -> list[str]:
    """Return the YAML lines of a part of a scenario. Short values are on one line, except files and expectations."""
    lines = []
    for key, value in values.items():
        name = f"{' ' * indent}{emit_flow(key)}:"
        flow = f"{name} {emit_flow(value)}"
        if key in _LISTS and isinstance(value, list):
            lines.append(name)
            for each in value:
                first, *rest = lines_of(each, indent + 4)
                lines += [f"{' ' * (indent + 2)}- {first.lstrip()}", *rest]
        elif key in ("given", *WITH_STEPS) and isinstance(value, dict):
            lines += [name, *lines_of(value, indent + 2)]
        elif isinstance(value, dict | list) and key not in ("files", "expect") and len(flow) <= _WIDE:
            lines.append(flow)
        else:
            lines += emit_mapping({key: value}, indent)
    return lines
