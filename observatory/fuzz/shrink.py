"""Shrink a scenario: make it as small as possible while it still shows the same disagreement."""

from __future__ import annotations

import base64
import posixpath
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from readfirst.harness.suite.file_entry import Base64Content, RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, ToolCall, WorldEvent

SECONDS = 40.0
"""Time limit in seconds for shrinking one scenario."""


def shrink(
    scenario: Scenario, shows: Callable[[Scenario], bool], *, attempts: int = 400, seconds: float = SECONDS
) -> Scenario:
    """Return the smallest variant of a scenario that `shows` accepts. Ends after `attempts` or `seconds`."""
    deadline = time.monotonic() + seconds
    tried: set[str] = set()

    def is_over() -> bool:
        return len(tried) >= attempts or time.monotonic() > deadline

    def smaller(best: Scenario, candidates: Candidates) -> Scenario | None:
        """Return the first untried candidate that `shows` accepts. None if all fail or a limit is reached."""
        for candidate in candidates(best):
            if is_over():
                return None
            key = repr((candidate.given, candidate.steps))
            if key not in tried:
                tried.add(key)
                if shows(candidate):
                    return candidate
        return None

    best = scenario
    improved = True
    while improved and not is_over():
        improved = False
        for candidates in _CANDIDATES:
            while (found := smaller(best, candidates)) is not None:
                best, improved = found, True
    return best


def _fewer_steps(scenario: Scenario) -> Iterator[Scenario]:
    steps = scenario.steps
    for start, end in _chunks(len(steps)):
        rest = steps[:start] + steps[end:]
        if any(not isinstance(step, WorldEvent) for step in rest):
            yield replace(scenario, steps=rest)


def _given_instead(scenario: Scenario) -> Iterator[Scenario]:
    """If the first step writes a file, yield the scenario without this step, but with the file in its workspace."""
    match scenario.steps:
        case [ToolCall("Write", {"file_path": str(place), "content": str(text)}), _, *_]:
            path, made = posixpath.normpath(place.removeprefix("$WS/")), RegularFile(TextContent(text))
        case [WorldEvent("modify", str(place), RegularFile() as made), _, *_]:
            path, place = place, ""
        case _:
            return
    inside = path != place and not path.startswith(("/", "~", "..", " "))
    if inside and path not in scenario.given.files:
        given = replace(scenario.given, files={**scenario.given.files, path: made})
        yield replace(scenario, given=given, steps=scenario.steps[1:])


def _simpler_steps(scenario: Scenario) -> Iterator[Scenario]:
    """Yield variants with one simpler step: fewer parallel calls, no event during a call, or `mtime: 2` in a change."""
    for index, step in enumerate(scenario.steps):
        before, after = scenario.steps[:index], scenario.steps[index + 1 :]
        match step:
            case ParallelCalls(calls):
                for call in calls:
                    yield replace(scenario, steps=(*before, call, *after))
                yield replace(scenario, steps=(*before, *calls, *after))
                if len(calls) > 2:
                    for left_out in range(len(calls)):
                        fewer = calls[:left_out] + calls[left_out + 1 :]
                        yield replace(scenario, steps=(*before, ParallelCalls(fewer), *after))
            case ToolCall(during=during) if during:
                yield replace(scenario, steps=(*before, replace(step, during=()), *after))
                yield replace(scenario, steps=(*before, *during, replace(step, during=()), *after))
            case WorldEvent(kind="touch" | "modify", mtime=mtime) if mtime != 2:
                yield replace(scenario, steps=(*before, replace(step, mtime=2), *after))
            case _:
                pass


def _simpler_paths(scenario: Scenario) -> Iterator[Scenario]:
    """Yield variants with one simpler path: `$WS/notes.txt` for `$WS/./notes.txt`, or a file renamed to `notes.txt`."""
    named = [
        value
        for _, call in scenario.places()
        for name, value in call.arguments.items()
        if name in _PATHS and isinstance(value, str)
    ]
    for path in dict.fromkeys(named):
        plain = f"$WS/{posixpath.normpath(path.strip().removeprefix('$WS/'))}"
        if plain != path:
            yield _change_texts(scenario, names={path: plain})
    held = [*scenario.given.files, *(event.path for event in scenario.events())]
    paths = dict.fromkeys([*held, *(path.removeprefix("$WS/") for path in named)])
    if _PLAINEST not in paths:
        for path in paths:
            if path.rpartition(".")[2] not in _KINDS:
                yield _change_texts(scenario, names={path: _PLAINEST, f"$WS/{path}": f"$WS/{_PLAINEST}"})


def _shorter_everywhere(scenario: Scenario) -> Iterator[Scenario]:
    """Yield variants: each removes the same part from every text, or replaces one character by `a` in every text."""
    texts = set(_texts(scenario))
    for text in sorted(texts, key=len, reverse=True):
        for start, end in _chunks(len(text)):
            part = text[start:end]
            if part and part not in "$WS/":
                yield _change_texts(scenario, text=lambda value, part=part: value.replace(part, ""))  # type: ignore[misc]
    for character in sorted(set().union(*texts) - set("a\n")):
        yield _change_texts(scenario, text=lambda value, character=character: value.replace(character, "a"))  # type: ignore[misc]


_SAME_NAMES: Mapping[str, str] = {}
_PARTS = ("given", "files", "steps", "calls", "arguments", "during", "entry", "content", "text")
"""The attributes of a scenario, a step or a file that shrinking may shorten."""
_PATHS = ("file_path", "notebook_path")
_PATH_ATTRIBUTES = ("path", "to", "target")
"""The attributes of an event or a link that contain a path."""
_PLAINEST = "notes.txt"
_KINDS = ("ipynb", "json", "mdx", "png")
"""Extensions of files that some tools treat specially, so shrinking does not rename these files."""


def _smaller(value: Any) -> Iterator[Any]:
    """Yield variants of a value: without a piece of text, a key or an optional attribute, or with a smaller part."""
    match value:
        case str():
            for start, end in _chunks(len(value)):
                yield value[:start] + value[end:]
        case Base64Content():
            data = value.data()
            for start, end in _chunks(len(data)):
                yield Base64Content(base64.b64encode(data[:start] + data[end:]).decode())
        case Mapping():
            for name in value:
                yield {key: item for key, item in value.items() if key != name}
        case Given() | RegularFile() | TextContent():
            for each in fields(value):
                if each.default not in (MISSING, getattr(value, each.name)):
                    yield replace(value, **{each.name: each.default})
    for place, part in _parts(value):
        for smaller in _smaller(part):
            yield _with(value, place, smaller)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the key, index or attribute name, and the value, of each element of `value` that may be shortened."""
    match value:
        case Mapping():
            yield from ((key, item) for key, item in value.items() if key not in _PATHS)
        case tuple():
            yield from enumerate(value)
        case _ if is_dataclass(value):
            names = (each.name for each in fields(value))
            yield from ((name, getattr(value, name)) for name in names if name in _PARTS)


def _with(value: Any, place: Any, part: Any) -> Any:
    match value:
        case Mapping():
            return {**value, place: part}
        case tuple():
            return (*value[:place], part, *value[place + 1 :])
        case _:
            return replace(value, **{place: part})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for _, part in _parts(value):
        yield from _texts(part)


def _change_texts(
    value: Any,
    *,
    text: Callable[[str], str] = lambda text: text,
    names: Mapping[str, str] = _SAME_NAMES,
    is_path: bool = False,
) -> Any:
    """Return a copy of a value: each text is changed by `text`, and each path in `names` gets its new path."""
    match value:
        case str():
            return names.get(value, value) if is_path else text(value)
        case tuple():
            return tuple(_change_texts(item, text=text, names=names) for item in value)
        case Mapping():
            return {
                names.get(key, key): _change_texts(item, text=text, names=names, is_path=key in _PATHS)
                for key, item in value.items()
            }
        case _ if is_dataclass(value):
            changed = {
                name: _change_texts(
                    getattr(value, name), text=text, names=names, is_path=name in _PATH_ATTRIBUTES
                )
                for name in (each.name for each in fields(value) if each.name in (*_PARTS, *_PATH_ATTRIBUTES))
            }
            return replace(value, **changed)  # type: ignore[type-var]
        case _:
            return value


def _chunks(length: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of pieces of `length` items: the whole, halves, quarters, …; at most 64 of each size."""
    size = length
    while size:
        starts = range(0, length, size)
        for start in starts[:64]:
            yield start, min(start + size, length)
        size //= 2


Candidates = Callable[[Scenario], Iterator[Scenario]]
_CANDIDATES: tuple[Candidates, ...] = (
    _fewer_steps,
    _given_instead,
    _simpler_steps,
    lambda scenario: (replace(scenario, given=given) for given in _smaller(scenario.given)),
    _simpler_paths,
    _shorter_everywhere,
    _smaller,
)
"""Functions that yield smaller variants of a scenario. `shrink` uses them in this order."""
