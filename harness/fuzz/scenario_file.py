"""Scenario file: write a scenario as YAML that can be put among the fixtures and recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from readfirst.harness.source.emit import emit_mapping, emit_string
from readfirst.harness.suite.entry import (
    OLD_TIME,
    Base64Content,
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.scenario import (
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.shift import Seconds, shift_text

__all__ = ["scenario_yaml"]

_SCHEMA = "# yaml-language-server: $schema=../../schema/scenario.schema.json"


def scenario_yaml(scenario: Scenario) -> str:
    """Return the file of a scenario, without expectations: they are for the recorder to fill in."""
    lines = [_SCHEMA, f"title: {emit_string(scenario.title)}"]
    if scenario.about:
        lines += emit_mapping({"about": scenario.about}, 0)
    lines.append(f"requirement: {scenario.requirement}")
    if scenario.rule:
        lines.append(f"rule: {scenario.rule}")
    if scenario.tags:
        lines.append(f"tags: [{', '.join(scenario.tags)}]")
    if scenario.sources:
        lines += ["sources:", *(f"  - {emit_string(source)}" for source in scenario.sources)]
    if scenario.given.files or scenario.given.deny:
        lines.append("given:")
        if scenario.given.files:
            files = {path: _entry(entry) for path, entry in scenario.given.files.items()}
            lines += emit_mapping({"files": files}, 2)
        if scenario.given.deny:
            lines += ["  deny:", *(f"    - {emit_string(rule)}" for rule in scenario.given.deny)]
    lines.append("steps:")
    for step in scenario.steps:
        lines += _step(step, "  ")
    return "\n".join(lines) + "\n"


def _step(step: Step, indent: str) -> list[str]:
    match step:
        case WorldEvent():
            kind, value = _event(step)
            if isinstance(value, str):
                return [f"{indent}- {kind}: {emit_string(value)}"]
            return [f"{indent}- {kind}:", *_mapping(value, len(indent) + 4)]
        case ToolCall(tool, arguments, during):
            head = f"{indent}- {tool}:"
            lines = [head, *_mapping(arguments, len(indent) + 4)] if arguments else [f"{head} {{}}"]
            if during:
                lines.append(f"{indent}  during:")
                for event in during:
                    lines += _step(event, indent + "    ")
            return lines
        case ParallelCalls(calls):
            lines = [f"{indent}- parallel:"]
            for call in calls:
                lines += _step(call, indent + "    ")
            return lines
        case SessionEvent(kind=kind):
            raise ValueError(f"no generated scenario has a step {kind}")


def _mapping(mapping: Mapping[str, Any], indent: int) -> list[str]:
    """Return the lines of a mapping; JSON values that are neither strings nor mappings stand in flow style."""
    lines = []
    for key, value in mapping.items():
        if isinstance(value, (str, bool, int)) or value is None or (isinstance(value, Mapping) and value):
            lines += emit_mapping({key: value}, indent)
        else:
            lines.append(f"{' ' * indent}{emit_string(key)}: {json.dumps(value)}")
    return lines


def _event(event: WorldEvent) -> tuple[str, str | dict[str, Any]]:
    match event.kind:
        case "modify":
            assert event.entry is not None
            content = _entry(event.entry)
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
        case "delete" | "mkdir":
            return event.kind, event.path
        case "buffer":
            assert event.entry is not None
            return "buffer", {event.path: _entry(event.entry)}


def _shift(seconds: Seconds | None) -> str:
    return "same" if seconds is None else shift_text(seconds)


def _entry(entry: Entry) -> Any:
    match entry:
        case RegularFile(content, mode, mtime):
            fields: dict[str, Any]
            match content:
                case TextContent(text, None, encoding, bom, eol):
                    fields = {"text": text}
                case TextContent(text, times, encoding, bom, eol):
                    fields = {"repeat": text, "times": times}
                case Base64Content(encoded):
                    fields, encoding, bom, eol = {"base64": encoded}, "utf-8", False, "lf"
                case _:
                    raise ValueError(
                        "bytes of a snapshot cannot be given; make them TextContent or Base64Content"
                    )
            if encoding != "utf-8":
                fields["encoding"] = encoding
            if bom:
                fields["bom"] = True
            if eol != "lf":
                fields["eol"] = eol
            if mode is not None:
                fields["mode"] = f"{mode:04o}"
            if mtime is not None:
                fields["mtime"] = _shift(mtime - OLD_TIME)
            return fields["text"] if fields.keys() == {"text"} else fields
        case Symlink(target):
            return {"symlink": target}
        case HardLink(to):
            return {"hardlink": to}
        case Directory(mode):
            return {"directory": True, **({} if mode is None else {"mode": f"{mode:04o}"})}
        case _:
            raise ValueError(f"{type(entry).__name__} cannot be written to a scenario file")
