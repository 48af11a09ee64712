"""Describe the circumstances of a call in a few dimensions: the file, its path, its state, the arguments.

A rule that holds under each condition may be broken under two of them together, so pairs are counted.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeVar

from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink, data_of
from readfirst.harness.suite.scenario import CallIndex, ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.observatory.fuzz.workspace_model import WorkspaceModel

Pair = tuple[str, str, str]
"""A tool and two conditions, each `dimension: value`, in the order of the dimensions."""

_PLAIN = frozenset(("txt", "md", "py", "js", "ts", "json", "yaml", "c", "csv", "html", "sh"))
_LONG = 1000
"""Minimum length of a long argument, in characters."""
_LARGE = 100_000
"""Minimum size of a large file, in bytes."""
_MANY = 100
"""Minimum number of lines of a long file."""


def pairs_of(tool: str, conditions: tuple[str, ...]) -> Iterator[Pair]:
    """Yield every pair of the conditions of one call of a tool."""
    for one, other in combinations(conditions, 2):
        yield tool, one, other


def calls_of(scenario: Scenario) -> Iterator[tuple[CallIndex, ToolCall, tuple[str, ...]]]:
    """Yield each call of a scenario with its position and its conditions.

    The conditions are estimated with a WorkspaceModel; nothing is executed.
    """
    sketch = WorkspaceModel()
    sketch.give(scenario.given.files)
    for index, step in enumerate(scenario.steps):
        match step:
            case WorldEvent():
                sketch.event(step)
            case ParallelCalls(calls):
                for number, call in enumerate(calls):
                    path = path_of(call)
                    yield (index, number), call, conditions_of(call, path, sketch, group=True)
                    sketch.call(call, path)
            case ToolCall():
                path = path_of(step)
                yield (index, None), step, conditions_of(step, path, sketch)
                for event in step.during:
                    sketch.event(event)
                sketch.call(step, path)


def path_of(call: ToolCall) -> str:
    """Return the path of the file that a call names, relative to the workspace. Empty if the call names no file."""
    named = call.arguments.get("file_path", call.arguments.get("notebook_path"))
    if not isinstance(named, str):
        return ""
    path = posixpath.normpath(named.strip() or ".")
    return path.removeprefix("$WS/")


def conditions_of(
    call: ToolCall, path: str, sketch: WorkspaceModel, *, group: bool = False
) -> tuple[str, ...]:
    """Return the conditions of a call before it is made, each as `dimension: value`.

    `path` is the path of the call's file, `sketch` the estimated state of the workspace. `group`: the call belongs to a
    message with several calls.
    """
    key, path = path, sketch.resolved(path)
    entry = sketch.entries.get(path)
    data, mode = data_of(entry), entry.mode if isinstance(entry, RegularFile) else None
    kind = "directory" if isinstance(entry, Directory) else "missing"
    if data is not None:
        kind = "hard link" if path in sketch.hard else "file"
    if sketch.is_a(key, Symlink):
        kind = "link"
    return (
        f"name: {_name(path)}",
        f"depth: {('top', 'folder', 'folder', 'deep')[min(path.count('/'), 3)]}",
        f"path: {_path(call.arguments)}",
        f"kind: {kind}",
        f"mode: {_mode(mode)}",
        *(_content(data) if data is not None else ()),
        f"known: {sketch.known.get(key, 'unread')}",
        f"since: {sketch.changed.get(key, 'nothing')}",
        f"before: {'refused' if key in sketch.refused else 'nothing refused'}",
        f"made: {'in a group' if group else 'during a change' if call.during else 'alone'}",
        *_arguments(call, sketch.text(key)),
    )


@lru_cache(maxsize=512)
def _name(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if name.startswith("."):
        return "hidden"
    if not name.isascii():
        return "other letters"
    if any(each.isspace() for each in name):
        return "spaces"
    if name != name.lower():
        return "capitals"
    if not dot:
        return "no extension"
    return "plain" if stem and extension in _PLAIN else "other extension"


def _path(arguments: Mapping[str, Any]) -> str:
    path = arguments.get("file_path", arguments.get("notebook_path"))
    if not isinstance(path, str):
        return "none"
    if path != path.strip():
        return "padded"
    if path.startswith("~"):
        return "at home"
    if not path.startswith(("/", "$WS")):
        return "relative"
    if posixpath.normpath(path) != path:
        return "roundabout"
    return "whole" if path.startswith("$WS/") else "outside"


def _mode(mode: int | None) -> str:
    if mode is None or mode & 0o777 == 0o644:
        return "usual"
    if not mode & 0o200:
        return "read-only"
    return "executable" if mode & 0o100 else "unusual"


@lru_cache(maxsize=512)
def _content(data: bytes) -> tuple[str, ...]:
    encoding, text = _decode_text(data)
    windows, returns = text.count("\r\n"), text.count("\r")
    lines = text.count("\n") - windows
    ends = [name for name, count in (("lf", lines), ("crlf", windows), ("cr", returns - windows)) if count]
    if not data:
        size = "empty"
    elif len(data) >= _LARGE:
        size = "large"
    else:
        size = "long" if text.count("\n") >= _MANY else "short"
    return (
        f"encoding: {encoding}",
        f"line ends: {ends[0] if len(ends) == 1 else 'mixed' if ends else 'none'}",
        f"size: {size}",
        f"ends in: {'a newline' if text.endswith(chr(10)) else 'text'}",
    )


def _decode_text(data: bytes) -> tuple[str, str]:
    for mark, name, encoding in (
        (b"\xef\xbb\xbf", "utf-8 with a mark", "utf-8"),
        (b"\xff\xfe", "utf-16", "utf-16-le"),
        (b"\xfe\xff", "utf-16", "utf-16-be"),
    ):
        if data.startswith(mark):
            return name, data[len(mark) :].decode(encoding, "replace")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "no text", data.decode("latin-1")
    if "\0" in text:
        return "NUL", text
    return ("ascii" if text.isascii() else "utf-8"), text


def _arguments(call: ToolCall, before: str) -> Iterator[str]:
    arguments = call.arguments
    match call.tool:
        case "Read":
            parts = [name for name in ("offset", "limit") if name in arguments]
            yield f"range: {' and '.join(parts) or 'whole'}"
        case "Write" if isinstance(text := arguments.get("content"), str):
            yield f"content: {'empty' if not text else 'the same' if text == before else 'other'}"
            yield f"returns: {'some' if chr(13) in text else 'none'}"
            yield f"length: {'long' if len(text) >= _LONG else 'short'}"
        case "Edit" if isinstance(old := arguments.get("old_string"), str) and isinstance(
            new := arguments.get("new_string"), str
        ):
            found = before.count(old) if old else 0
            yield f"edit: {_edit(old, new, before)}"
            yield f"matches: {('none', 'one', 'several')[min(found, 2)]}"
            yield f"length: {'long' if len(old) >= _LONG else 'lines' if old.count(chr(10)) >= 3 else 'short'}"
            yield f"replace_all: {str(arguments.get('replace_all', 'absent')).lower()[:6]}"
        case _:
            yield "arguments: others"


def _edit(old: str, new: str, before: str) -> str:
    if not old:
        return "creation"
    if old == new:
        return "nothing"
    if old == before:
        return "whole file"
    if not new:
        return "deletion"
    if old in new:
        return "insertion"
    if "".join(old.split()) == "".join(new.split()):
        return "whitespace alone"
    return "replacement"


T = TypeVar("T")


class Rarity:
    """Counts how often each pair of conditions occurs: in the suite (`seen`), and in the calls drawn so far."""

    def __init__(self, seen: Mapping[Pair, int]) -> None:
        self._seen = seen
        self._drawn: dict[Pair, int] = {}

    def rarest(
        self, draw: Callable[[], T], conditions: Callable[[T], tuple[str, tuple[str, ...]]], *, of: int
    ) -> T:
        """Draw `of` results and return the one with the rarest pairs of conditions. A pair that occurred N times has
        the weight 1/(N+1)².

        `conditions` returns the tool and the conditions of a drawn result.
        """
        best, most = draw(), -1.0
        for number in range(of):
            candidate = best if number == 0 else draw()
            met = (
                self._seen.get(pair, 0) + self._drawn.get(pair, 0)
                for pair in pairs_of(*conditions(candidate))
            )
            worth = sum((1 + count) ** -2 for count in met)
            if worth > most:
                best, most = candidate, worth
        return best

    def note(self, tool: str, conditions: tuple[str, ...]) -> None:
        """Count the pairs of conditions of a selected call."""
        for pair in pairs_of(tool, conditions):
            self._drawn[pair] = self._drawn.get(pair, 0) + 1
