"""Content: what a scenario does to its workspace, and whether another scenario does the same."""

import hashlib
import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from readfirst.harness.source.finding import Finding
from readfirst.harness.suite.case import Case, at
from readfirst.harness.suite.entry import Base64Content, Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import Scenario, ToolCall, WorldEvent, calls_of, events_of

_PATH_ARGUMENTS = ("file_path", "notebook_path")


def check_content(case: Case) -> Iterator[Finding]:
    """Yield findings about given files, calls and world events."""
    scenario = case.scenario
    if not any(scenario.calls()):
        fix = "Add a call, or remove the scenario."
        yield case.finding("no-call", ("steps",), "no step calls a tool", fix, key=True)
    yield from _events(case)


def _events(case: Case) -> Iterator[Finding]:
    """Follow what each path certainly holds, until a call may have changed it."""
    known: dict[str, Entry] = dict(case.scenario.given.files)
    exists = _with_parents(known)
    by_git = False
    for step in case.scenario.steps:
        calls, events = calls_of(step), events_of(step)
        if calls:
            # A call may create or change any file it names, under whatever name leads there.
            known = {path: entry for path, entry in known.items() if not isinstance(entry, RegularFile)}
            exists |= _named(calls)
        for event in events:
            if event.kind == "git":
                # What a commit, a branch or a stash holds may be back.
                known, by_git = {}, True
                continue
            if (
                event.kind in ("touch", "delete", "rename", "chmod")
                and event.path not in exists
                and not by_git
            ):
                fix = "Give the file, create it in an earlier step, or correct the path."
                message = f"nothing before this {event.kind} makes {event.path!r}"
                yield Finding("missing-event-path", at(event.position, case), message, fix)
            before = known.get(event.path)
            if event.kind == "modify" and _same(before, event.entry):
                fix = "Write different content, or use touch:."
                message = f"{event.path!r} already has this content"
                yield Finding("noop-modify", at(event.position, case), message, fix)
            _apply(event, known, exists)


def _same(before: Entry | None, after: Entry | None) -> bool:
    return (
        isinstance(before, RegularFile)
        and isinstance(after, RegularFile)
        and after.data == before.data
        and after.mode in (None, before.mode)
    )


def _apply(event: WorldEvent, known: dict[str, Entry], exists: set[str]) -> None:
    if event.kind in ("delete", "rename"):
        below = event.path + "/"
        moved = {path for path in exists if path == event.path or path.startswith(below)}
        exists -= moved
        entries = {path: known.pop(path) for path in list(known) if path in moved}
        if event.kind == "rename" and event.to is not None:
            size = len(event.path)
            exists |= {event.to + path[size:] for path in moved} | _with_parents([event.to])
            known.update({event.to + path[size:]: entry for path, entry in entries.items()})
    elif event.entry is not None:
        known[event.path] = event.entry
        exists |= _with_parents([event.path])


def _with_parents(paths: Any) -> set[str]:
    found = set(paths)
    for path in list(found):
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return found


def _named(calls: tuple[ToolCall, ...]) -> set[str]:
    paths = set()
    for call in calls:
        for name in _PATH_ARGUMENTS:
            path = call.arguments.get(name)
            if isinstance(path, str):
                paths.add(posixpath.normpath(f"/{path.removeprefix('$WS')}").lstrip("/"))
    return _with_parents(paths)


def fingerprint(scenario: Scenario) -> str:
    """Return a digest of workspace and steps; equal for scenarios that do the same, however they spell it."""
    given = replace(scenario.given, reminders=False, deny=tuple(sorted(scenario.given.deny)))
    value = _plain([given, scenario.steps])
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in JSON types, of files what they hold, and nothing of where it is or what is expected."""
    match value:
        case TextContent() | Base64Content():
            return hashlib.sha256(value.data()).hexdigest()
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [*map(_plain, value)]
        case _ if is_dataclass(value):
            compared = [each for each in fields(value) if each.name not in ("position", "expect")]
            return [type(value).__name__, *(_plain(getattr(value, each.name)) for each in compared)]
        case None | str() | int() | float():
            return value
        case _:
            return str(value)
