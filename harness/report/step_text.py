"""Describe a step or the given files of a scenario in one line, escaped."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.suite.event_kinds import INTERRUPTIONS, SESSION_EVENTS, WORLD_EVENTS
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
    shift_text,
)
from readfirst.harness.suite.scenario import (
    Given,
    GivenHook,
    ParallelCalls,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
)

_MAX_ARGUMENT_CHARS = 120
"""Maximum characters that are shown from one argument of a call."""
_MAX_CONTENT_CHARS = 60
"""Maximum characters that are shown from a file's content in one line."""
_MAX_FILES = 4
"""Maximum number of given files that are shown. For further files, only their number is shown."""


def describe_step(step: Step) -> str:
    """Describe a step in one line, without the content of files."""
    match step:
        case ToolCall():
            return _describe_call(step)
        case ParallelCalls(calls=calls):
            return f"{len(calls)} calls {_group_description(step)}"
        case WorldEvent(kind=kind, path=path):
            return f"{kind} {visible(path)}{''.join(map(partial(_describe_field, step), WORLD_EVENTS[kind].fields))}"
        case SessionEvent(kind=kind, path=path):
            return f"{SESSION_EVENTS[kind].words} {visible(path)}".rstrip()


def _describe_field(event: WorldEvent, name: str) -> str:
    match name:
        case "to":
            return f" to {visible(event.to or '')}"
        case "mode" if event.mode is not None:
            return f" to {event.mode:04o}"
        case "mtime" if event.mtime is not None:
            return f", mtime {shift_text(event.mtime)}"
        case _:
            return ""


def _group_description(group: ParallelCalls) -> str:
    return "of two sessions at once" if group.sides else "in parallel"


def brief_step(step: Step, call: int | None = None) -> str:
    """Describe a step in one line, with short contents of files. With `call`, describe only this call of a group."""
    match step:
        case ParallelCalls(calls=calls) if call is not None and call < len(calls):
            group = f"call {call + 1} of {len(calls)} {_group_description(step)}"
            return f"{group}: {_describe_call(calls[call])}"
        case ParallelCalls(calls=calls):
            return f"{describe_step(step)}: {'; '.join(map(_describe_call, calls))}"
        case WorldEvent(kind="modify", entry=RegularFile() as entry):
            return f"{describe_step(step)}: {_describe_content(entry)}"
        case ToolCall(during=during) if during:
            return f"{describe_step(step)}, during: {'; '.join(brief_step(event) for event in during)}"
        case _:
            return describe_step(step)


def given_lines(given: Given) -> Iterator[str]:
    """Yield a line for each of the first files of the initial state, and for each permission rule."""
    files = list(given.files.items())
    for path, entry in files[:_MAX_FILES]:
        yield brief_entry(path, entry)
    if len(files) > _MAX_FILES:
        rest = len(files) - _MAX_FILES
        yield f"[{pluralize(rest, 'more file')}]"
    if not files:
        yield "an empty directory"
    yield from (f"{key} {value}" for key, value in given_settings(given))


def given_settings(given: Given) -> Iterator[tuple[str, str]]:
    """Yield the settings of the initial state, such as permission rules, as pairs of a name and an escaped value."""
    yield from (("deny", visible(rule)) for rule in given.deny)
    if given.disk is not None:
        yield "disk", f"{given.disk:,} bytes"
    if given.permissions is not None:
        yield from ((key, visible(value)) for key, value in given.permissions.lines())
    yield from (("hook", _describe_hook(hook)) for hook in given.hooks)


def _describe_hook(hook: GivenHook) -> str:
    """Describe a hook of a scenario in one line: when it runs, and its action, with short contents of files."""
    match hook.action:
        case "input":
            action = f"input {_format_arguments(hook.input)}"
        case "exit":
            action = f"exit {hook.code}, stderr {_quote_value(hook.words)}"
        case "modify":
            action = f"modify {'; '.join(brief_entry(path, entry) for path, entry in hook.files.items())}"
        case "delete" | "rename":
            moved = [
                visible(path) if new is None else f"{visible(path)} to {visible(new)}"
                for path, new in hook.moved.items()
            ]
            action = f"{hook.action} {'; '.join(moved)}"
        case _:
            action = f"{hook.action} {_quote_value(hook.words)}"
    return f"{hook.event} {visible(hook.matcher)}: {action}"


def brief_entry(path: str, entry: Entry) -> str:
    """Describe the file, link or directory at a path in one line, with short content."""
    name = visible(path)
    match entry:
        case RegularFile(mode=mode):
            return f"{name}{_mode_suffix(mode)}: {_describe_content(entry)}"
        case Symlink(target=target):
            return f"{name} -> {visible(target)}"
        case HardLink(to=to):
            return f"{name}, another name of {visible(to)}"
        case Directory(mode=mode):
            return f"{name}/{_mode_suffix(mode)}"
        case FileDigest(size=size):
            return f"{name}, {size:,} bytes"
        case SpecialFile():
            return f"{name}, a special file"


def _mode_suffix(mode: int | None) -> str:
    return "" if mode is None else f" (mode {mode:04o})"


def _describe_content(entry: RegularFile) -> str:
    data = entry.data
    text = _quote_value(data[: _MAX_CONTENT_CHARS * 4].decode("utf-8", "surrogateescape"))
    if len(data) <= _MAX_CONTENT_CHARS * 4 and len(text) <= _MAX_CONTENT_CHARS:
        return text
    return f"{text[:_MAX_CONTENT_CHARS]} [{len(data):,} bytes]"


def _describe_call(call: ToolCall) -> str:
    ended = f", {INTERRUPTIONS[call.interrupted].words}" if call.interrupted else ""
    return f"{call.tool} {_format_arguments(call.arguments)}{ended}"


def _format_arguments(arguments: Mapping[str, Any]) -> str:
    parts = []
    for name, value in arguments.items():
        text = _quote_value(value)
        if len(text) > _MAX_ARGUMENT_CHARS:
            text = f"{text[:_MAX_ARGUMENT_CHARS]} [{len(text) - _MAX_ARGUMENT_CHARS:,} characters]"
        parts.append(f"{visible(name)}: {text}")
    return "{" + ", ".join(parts) + "}"


def _quote_value(value: Any) -> str:
    """Return a value as JSON. Unusual characters are escaped, too, although JSON allows them."""
    return visible(json.dumps(value, ensure_ascii=False)).replace("\\\\", "\\")
