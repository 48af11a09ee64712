"""Describe the conditions of a call: the kind and the content of the file, the form of the path, the arguments.
Conditions are counted in pairs, because some faults occur only if two conditions occur together.
"""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeVar

from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink, data_of
from readfirst.harness.suite.scenario import CallIndex, ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.observatory.fuzz.workspace_model import WorkspaceModel

Pair = tuple[str, str, str]
"""A tool and two conditions of a call, for example `("Edit", "kind: link", "size: large")`."""

_COMMON_EXTENSIONS = frozenset(("txt", "md", "py", "js", "ts", "json", "yaml", "c", "csv", "html", "sh"))
_LONG_TEXT_CHARS = 1000
"""If an argument is at least this long, the call has the condition `length: long`."""
_LARGE_FILE_BYTES = 100_000
"""If a file has at least this size, calls about it have the condition `size: large`."""
_LONG_FILE_LINES = 100
"""If a file has at least this many lines, calls about it have the condition `size: long`."""


def condition_pairs(tool: str, conditions: tuple[str, ...]) -> Iterator[Pair]:
    """Yield each pair of conditions of a call, such as `kind: link` and `size: large`, together with the tool."""
    return ((tool, first, second) for first, second in combinations(conditions, 2))


def calls_with_conditions(scenario: Scenario) -> Iterator[tuple[CallIndex, ToolCall, tuple[str, ...]]]:
    """Yield each call, its position, and its conditions such as `size: large`, estimated without executing calls."""
    model = WorkspaceModel()
    model.add_files(scenario.given.files)
    for index, step in enumerate(scenario.steps):
        match step:
            case WorldEvent():
                model.event(step)
            case ParallelCalls(calls):
                for number, call in enumerate(calls):
                    path = path_of(call)
                    yield (index, number), call, conditions_of(call, path, model, group=True)
                    model.call(call, path)
            case ToolCall():
                path = path_of(step)
                yield (index, None), step, conditions_of(step, path, model)
                for event in step.during:
                    model.event(event)
                model.call(step, path)


def path_of(call: ToolCall) -> str:
    """Return the path in the arguments of a call, relative to the workspace. Empty if the call has no path."""
    named = call.arguments.get("file_path", call.arguments.get("notebook_path"))
    if not isinstance(named, str):
        return ""
    path = posixpath.normpath(named.strip() or ".")
    return path.removeprefix("$WS/")


def conditions_of(
    call: ToolCall, path: str, model: WorkspaceModel, *, group: bool = False
) -> tuple[str, ...]:
    """Return conditions such as `kind: link` of a call about `path`. `group`: the call is one of parallel calls."""
    key, path = path, model.resolved(path)
    entry = model.entries.get(path)
    data, mode = data_of(entry), entry.mode if isinstance(entry, RegularFile) else None
    kind = "directory" if isinstance(entry, Directory) else "missing"
    if data is not None:
        kind = "hard link" if path in model.hard else "file"
    if model.is_a(key, Symlink):
        kind = "link"
    return (
        f"name: {_name_condition(path)}",
        f"depth: {('top', 'folder', 'folder', 'deep')[min(path.count('/'), 3)]}",
        f"path: {_path_condition(call.arguments)}",
        f"kind: {kind}",
        f"mode: {_mode_condition(mode)}",
        *(_content_conditions(data) if data is not None else ()),
        f"known: {model.known.get(key, 'unread')}",
        f"since: {model.changed.get(key, 'nothing')}",
        f"before: {'refused' if key in model.refused else 'nothing refused'}",
        f"made: {'in a group' if group else 'during a change' if call.during else 'alone'}",
        *_argument_conditions(call, model.text(key)),
    )


def _name_condition(path: str) -> str:
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
    return "plain" if stem and extension in _COMMON_EXTENSIONS else "other extension"


def _path_condition(arguments: Mapping[str, Any]) -> str:
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


def _mode_condition(mode: int | None) -> str:
    if mode is None or mode & 0o777 == 0o644:
        return "usual"
    if not mode & 0o200:
        return "read-only"
    return "executable" if mode & 0o100 else "unusual"


@lru_cache(maxsize=512)
def _content_conditions(data: bytes) -> tuple[str, ...]:
    encoding, text = _decode_text(data)
    windows, returns = text.count("\r\n"), text.count("\r")
    lines = text.count("\n") - windows
    ends = [name for name, count in (("lf", lines), ("crlf", windows), ("cr", returns - windows)) if count]
    if not data:
        size = "empty"
    elif len(data) >= _LARGE_FILE_BYTES:
        size = "large"
    else:
        size = "long" if text.count("\n") >= _LONG_FILE_LINES else "short"
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


def _argument_conditions(call: ToolCall, before: str) -> Iterator[str]:
    arguments = call.arguments
    match call.tool:
        case "Read":
            parts = [name for name in ("offset", "limit") if name in arguments]
            yield f"range: {' and '.join(parts) or 'whole'}"
        case "Write" if isinstance(text := arguments.get("content"), str):
            yield f"content: {'empty' if not text else 'the same' if text == before else 'other'}"
            yield f"returns: {'some' if chr(13) in text else 'none'}"
            yield f"length: {'long' if len(text) >= _LONG_TEXT_CHARS else 'short'}"
        case "Edit" if isinstance(old := arguments.get("old_string"), str) and isinstance(
            new := arguments.get("new_string"), str
        ):
            found = before.count(old) if old else 0
            yield f"edit: {_edit_condition(old, new, before)}"
            yield f"matches: {('none', 'one', 'several')[min(found, 2)]}"
            length = "lines" if old.count("\n") >= 3 else "short"
            yield f"length: {'long' if len(old) >= _LONG_TEXT_CHARS else length}"
            yield f"replace_all: {str(arguments.get('replace_all', 'absent')).lower()[:6]}"
        case _:
            yield "arguments: others"


def _edit_condition(old: str, new: str, before: str) -> str:
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


Drawn = TypeVar("Drawn")


class Rarity:
    """Counts pairs of conditions in the suite (`seen`) and in generated calls, so that rare pairs can be preferred."""

    def __init__(self, seen: Mapping[Pair, int]) -> None:
        self._counts = Counter(seen)

    def rarest(
        self,
        draw: Callable[[], Drawn],
        conditions: Callable[[Drawn], tuple[str, tuple[str, ...]]],
        *,
        of: int,
    ) -> Drawn:
        """Draw `of` candidates, and return the candidate with the rarest pairs of conditions."""

        def weight(candidate: Drawn) -> float:
            return sum((1 + self._counts[pair]) ** -2 for pair in condition_pairs(*conditions(candidate)))

        return max([draw() for _ in range(of)], key=weight)

    def count_call(self, tool: str, conditions: tuple[str, ...]) -> None:
        """Count the pairs of conditions of a call that was generated, so that later calls avoid these pairs."""
        self._counts.update(condition_pairs(tool, conditions))
