"""Rewrite the expectations of a scenario file in place; every other byte stays as it was, comments included."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.events import WITH_STEPS, inner_steps
from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.harness.yaml_io.yaml_writer import emit_mapping

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

StepPath = tuple[int, ...]
"""The place of a step in `Scenario.steps`: `(2,)` is the third, `(2, 0)` the first call of a parallel group there.

A world event that names several paths is several steps there, though one in the file; a sub-agent's steps are
between its beginning and its end."""


class RewriteError(Exception):
    """The file is written in a way that cannot be changed in place; the message says what to write instead."""


GONE: Any = object()
"""Stands for what is not there."""


def rewrite_expectations(source: str, wanted: Mapping[StepPath, Any]) -> str:
    """Return the file with another `expect` at the named steps; without one where that is GONE.

    A step without `expect` gets one. Raises RewriteError where a step is written in flow style (`- {Read: ...}`), and
    if anything but the expectations would change.
    """
    lines = source.split("\n")
    root: Any = yaml.compose(source, Loader=_LOADER)
    steps = load(source.encode(), Path("-")).value["steps"]
    replacements: list[_Replacement] = []
    for path, expect in wanted.items():
        step = _node(root, ["steps", *_place_of(steps, path)])
        if step.flow_style:
            line = step.start_mark.line + 1
            raise RewriteError(
                f"line {line}: write the step in block style (`- Read: {{...}}`), not in braces"
            )
        replacements.append(_replacement(lines, step, "expect", expect))
    rewritten = _replaced(lines, replacements)
    if _without_expectations(source) != _without_expectations(rewritten):
        raise RewriteError("the steps would change; write each step in block style, `expect` as its last key")
    return rewritten


_Replacement = tuple[int, int, list[str]]
"""A range of lines, and the lines to put there."""


def _replacement(
    lines: list[str], mapping: yaml.MappingNode, key: str, value: Any, one_line: int = 0
) -> _Replacement:
    """Return how a key of a block mapping gets another value; one that is not there comes last."""
    written = [] if value is GONE else emit_mapping({key: value}, mapping.start_mark.column, one_line)
    entry = _child(mapping, key)
    if entry is not None:
        return entry[0].start_mark.line, _last_line(lines, entry) + 1, written
    end = max(_last_line(lines, each) for each in mapping.value) + 1
    return end, end, written


def _replaced(lines: list[str], replacements: Sequence[_Replacement]) -> str:
    # From the end, so that what is still to be replaced keeps its place.
    for start, end, written in sorted(replacements, reverse=True):
        lines[start:end] = written
    return "\n".join(lines)


def _last_line(lines: list[str], entry: tuple[yaml.Node, yaml.Node]) -> int:
    """Return the index of the entry's last line: block values end where the next thing begins."""
    key, value = entry
    end = value.end_mark
    last: int = end.line if end.column > 0 and lines[end.line][: end.column].strip() else end.line - 1
    last = min(last, len(lines) - 1)
    while last > key.start_mark.line and _is_outside(lines[last], key.start_mark.column):
        last -= 1
    return last


def _is_outside(line: str, column: int) -> bool:
    text = line.lstrip(" ")
    return not text or (text.startswith("#") and len(line) - len(text) <= column)


def _node(root: Any, place: Sequence[int | str]) -> Any:
    """Return what is at a place of a file."""
    for key in place:
        if isinstance(key, int):
            root = root.value[key]
        else:
            entry = _child(root, key)
            assert entry is not None
            root = entry[1]
    return root


def _place_of(steps: Sequence[Any], path: StepPath) -> list[int | str]:
    """Return the keys that lead to a step, or to a call of a group, from the steps of a file."""
    place = list(_places(steps))[path[0]]
    return [*place, *(key for index in path[1:] for key in ("parallel", index))]


def _places(steps: Sequence[Any]) -> Iterator[list[int | str]]:
    """Yield, for each step that the loader makes, the keys to the one in the file that it comes from."""
    for number, step in enumerate(steps):
        key, value = next(iter(step.items()))
        if key in WITH_STEPS:
            yield [number]
            yield from ([number, key, "steps", *inner] for inner in _places(inner_steps(step)[1]))
            yield [number]
        else:
            several = key in WORLD_EVENTS and isinstance(value, dict)
            yield from repeat([number], len(value) if several else 1)


def _child(node: yaml.Node, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return key and value of an entry of a mapping; None if there is none."""
    for key, value in node.value:
        if key.value == name:
            return key, value
    return None


def _without_expectations(source: str) -> Any:
    value = load(source.encode(), Path("-")).value
    for step in value["steps"]:
        for each in (step, *inner_steps(step)[1]):
            for call in (each, *(each.get("parallel") or ())):
                call.pop("expect", None)
    return value


_PLACE = re.compile(r"<([a-z][a-z0-9_]*)>")


def rewrite_case(source: str, slug: str, wanted: Mapping[StepPath, Any]) -> str:
    """Return the file with other values of one case, so that its steps expect what is wanted.

    Raises RewriteError where no value of the case can say it: what the file says for all its cases is not changed.
    """
    table = load(source.encode(), Path("table")).value
    values: dict[str, Any] = {}
    for path, expect in wanted.items():
        said = step_at(table["steps"], path).get("expect", GONE)
        try:
            _unify(said, expect, table["cases"][slug], values)
        except _NoValueError as error:
            number = path[0] + 1
            raise RewriteError(
                f"step {number} of the table cannot say {error} for {slug} alone; write a name in its place there, "
                f"such as `expect: <answer{number}>`, or give {slug} a file of its own"
            ) from None
    lines = source.split("\n")
    case = _node(yaml.compose(source, Loader=_LOADER), ["cases", slug])
    if case.flow_style:
        raise RewriteError(f"write the case {slug} in block style, a line for each value")
    return _replaced(
        lines, [_replacement(lines, case, name, value, one_line=60) for name, value in values.items()]
    )


class _NoValueError(Exception):
    pass


def _unify(said: Any, wanted: Any, case: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Find the values with which what the file says becomes what is wanted. Raises _NoValueError."""
    alone = _PLACE.fullmatch(said) if isinstance(said, str) else None
    if alone:
        if values.setdefault(alone[1], wanted) != wanted:
            raise _NoValueError(f"two things by <{alone[1]}>")
    elif isinstance(said, dict) and isinstance(wanted, dict):
        named = {_filled(key, {**case, **values}): value for key, value in said.items()}
        for key in {**named, **wanted}:
            _unify(named.get(key, GONE), wanted.get(key, GONE), case, values)
    elif isinstance(said, list) and isinstance(wanted, list) and len(said) == len(wanted):
        for one, other in zip(said, wanted, strict=True):
            _unify(one, other, case, values)
    elif isinstance(said, str) and isinstance(wanted, str):
        if _filled(said, {**case, **values}) != wanted:
            raise _NoValueError(repr(wanted[:60]))
    elif said != wanted:
        raise _NoValueError("nothing" if wanted is GONE else repr(wanted)[:60])


def _filled(text: str, values: Mapping[str, Any]) -> str:
    return _PLACE.sub(lambda match: str(values.get(match[1], match[0])), text)


def step_at(steps: Any, path: StepPath) -> dict[str, Any]:
    """Return the step at a place of `Scenario.steps`."""
    for key in _place_of(steps, path):
        steps = steps[key]
    found: dict[str, Any] = steps
    return found
