"""Rewrite the expectations of a scenario file in place. All other bytes stay unchanged, including comments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.suite.event_kinds import WORLD_EVENTS
from readfirst.harness.suite.events import EVENTS_WITH_STEPS, inner_steps
from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.harness.yaml_io.yaml_writer import emit_mapping

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

StepPath = tuple[int, ...]
"""The position of a step in `Scenario.steps`: `(2,)` is the third step, `(2, 0)` the first call of its parallel group.
An event that changes several paths is one step in the file, but one step per path in `Scenario.steps`.
"""


class RewriteError(Exception):
    """Raised if the scenario file cannot be changed in place. The message suggests a different notation."""


GONE: Any = object()
"""Value that is used for a key that is missing or must be removed."""


def rewrite_expectations(source: str, wanted: Mapping[StepPath, Any]) -> str:
    """Return the text of a scenario file with new values of `expect` in the steps `wanted`. GONE removes the key.
    Raises RewriteError for a step in flow style (`- {Read: ...}`), or if anything else would change.
    """
    lines = source.split("\n")
    root: Any = yaml.compose(source, Loader=_LOADER)
    steps = load(source.encode(), Path("-")).value["steps"]
    replacements: list[_Replacement] = []
    for path, expect in wanted.items():
        step = _find_node(root, ["steps", *_yaml_path_of(steps, path)])
        if step.flow_style:
            line = step.start_mark.line + 1
            raise RewriteError(
                f"line {line}: write the step in block style (`- Read: {{...}}`), not in braces"
            )
        replacements.append(_plan_replacement(lines, step, "expect", expect))
    rewritten = _apply_replacements(lines, replacements)
    if _without_expectations(source) != _without_expectations(rewritten):
        raise RewriteError(
            "the new expectations would also change steps: write each step in block style, with `expect` as "
            "its last key"
        )
    return rewritten


_Replacement = tuple[int, int, list[str]]
"""A change of lines: the index of the first replaced line, the index after the last replaced line, and the new lines.
"""


def _plan_replacement(
    lines: list[str], mapping: yaml.MappingNode, key: str, value: Any, one_line: int = 0
) -> _Replacement:
    """Return the change of lines that sets a key of a YAML mapping to `value`, or removes the key if `value` is GONE.
    `one_line` is passed to `emit_mapping`.
    """
    written = [] if value is GONE else emit_mapping({key: value}, mapping.start_mark.column, one_line)
    entry = _find_entry(mapping, key)
    if entry is not None:
        return entry[0].start_mark.line, _last_line(lines, entry) + 1, written
    end = max(_last_line(lines, item) for item in mapping.value) + 1
    return end, end, written


def _apply_replacements(lines: list[str], replacements: Sequence[_Replacement]) -> str:
    # From the end, so that the positions of the other replacements stay valid.
    for start, end, written in sorted(replacements, reverse=True):
        lines[start:end] = written
    return "\n".join(lines)


def _last_line(lines: list[str], entry: tuple[yaml.Node, yaml.Node]) -> int:
    """Return the index of the last line of a key and its value. Blank lines and comments after it are not included."""
    key, value = entry
    end = value.end_mark
    last: int = end.line if end.column > 0 and lines[end.line][: end.column].strip() else end.line - 1
    last = min(last, len(lines) - 1)
    while last > key.start_mark.line and _is_blank_or_outer_comment(lines[last], key.start_mark.column):
        last -= 1
    return last


def _is_blank_or_outer_comment(line: str, column: int) -> bool:
    text = line.lstrip(" ")
    return not text or (text.startswith("#") and len(line) - len(text) <= column)


def _find_node(root: Any, yaml_path: Sequence[int | str]) -> Any:
    """Return the YAML node that a path of keys and indexes leads to."""
    for key in yaml_path:
        if isinstance(key, int):
            root = root.value[key]
        else:
            entry = _find_entry(root, key)
            assert entry is not None
            root = entry[1]
    return root


def _yaml_path_of(steps: Sequence[Any], path: StepPath) -> list[int | str]:
    """Return the keys and indexes that lead from the list `steps` in the file to a step, or to a call in a group."""
    yaml_path = list(_iter_yaml_paths(steps))[path[0]]
    return [*yaml_path, *(key for index in path[1:] for key in ("parallel", index))]


def _iter_yaml_paths(steps: Sequence[Any]) -> Iterator[list[int | str]]:
    """Yield, for each step of `Scenario.steps`, the keys and indexes that lead to this step in the file."""
    for number, step in enumerate(steps):
        key, value = next(iter(step.items()))
        if key in EVENTS_WITH_STEPS:
            yield [number]
            yield from ([number, key, "steps", *inner] for inner in _iter_yaml_paths(inner_steps(step)[1]))
            yield [number]
        else:
            several = key in WORLD_EVENTS and isinstance(value, dict)
            yield from repeat([number], len(value) if several else 1)


def _find_entry(node: yaml.Node, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Find a key in a YAML mapping, and return the nodes of the key and of its value. None if the key is missing."""
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _without_expectations(source: str) -> Any:
    value = load(source.encode(), Path("-")).value
    for step in value["steps"]:
        for inner in (step, *inner_steps(step)[1]):
            for call in (inner, *(inner.get("parallel") or ())):
                call.pop("expect", None)
    return value


_PLACEHOLDER_PATTERN = re.compile(r"<([a-z][a-z0-9_]*)>")


def rewrite_case(source: str, slug: str, wanted: Mapping[StepPath, Any]) -> str:
    """Return the text of a file with several scenarios, after setting the expectations of the scenario `slug` to
    `wanted`. The scenarios share steps with placeholders: only the values of this scenario's placeholders change.
    Raises RewriteError if a step contains no placeholder for the new value.
    """
    table = load(source.encode(), Path("table")).value
    values: dict[str, Any] = {}
    for path, expect in wanted.items():
        template = step_at(table["steps"], path).get("expect", GONE)
        try:
            _solve_values(template, expect, table["cases"][slug], values)
        except _NoValueError as error:
            number = path[0] + 1
            raise RewriteError(
                f"step {number} is shared by all cases of this file, so it cannot expect {error} for only the case "
                f"{slug}; write a placeholder in this step, such as `expect: <answer{number}>`, or move {slug} to a "
                "separate file"
            ) from None
    lines = source.split("\n")
    case = _find_node(yaml.compose(source, Loader=_LOADER), ["cases", slug])
    if case.flow_style:
        raise RewriteError(f"write the case {slug} in block style, a line for each value")
    return _apply_replacements(
        lines,
        [_plan_replacement(lines, case, name, value, one_line=60) for name, value in values.items()],
    )


class _NoValueError(Exception):
    pass


def _solve_values(template: Any, wanted: Any, case: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Find the values of placeholders that make `template` equal to `wanted`, and add them to `values`. `case` contains
    the scenario's current values. Raises _NoValueError if no values make them equal.
    """
    placeholder = _PLACEHOLDER_PATTERN.fullmatch(template) if isinstance(template, str) else None
    if placeholder:
        if values.setdefault(placeholder[1], wanted) != wanted:
            raise _NoValueError(f"two values of the placeholder <{placeholder[1]}>")
    elif isinstance(template, dict) and isinstance(wanted, dict):
        named = {_fill_placeholders(key, {**case, **values}): value for key, value in template.items()}
        for key in {**named, **wanted}:
            _solve_values(named.get(key, GONE), wanted.get(key, GONE), case, values)
    elif isinstance(template, list) and isinstance(wanted, list) and len(template) == len(wanted):
        for item, wanted_item in zip(template, wanted, strict=True):
            _solve_values(item, wanted_item, case, values)
    elif isinstance(template, str) and isinstance(wanted, str):
        if _fill_placeholders(template, {**case, **values}) != wanted:
            raise _NoValueError(repr(wanted[:60]))
    elif template != wanted:
        raise _NoValueError("nothing" if wanted is GONE else repr(wanted)[:60])


def _fill_placeholders(text: str, values: Mapping[str, Any]) -> str:
    return _PLACEHOLDER_PATTERN.sub(lambda match: str(values.get(match[1], match[0])), text)


def step_at(steps: Any, path: StepPath) -> dict[str, Any]:
    """Return the step of a file that corresponds to a position in `Scenario.steps`."""
    for key in _yaml_path_of(steps, path):
        steps = steps[key]
    step: dict[str, Any] = steps
    return step
