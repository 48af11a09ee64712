"""Convert generated scenarios to the values of scenario files, without expectations."""

from typing import Any

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


def scenario_values(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as the values of a YAML file, without expected results. Raises ValueError if it has hooks."""
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
