"""Rewrite the expectations of a scenario file in place; every other byte, comments included, stays as it was."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.source.emit import Value, emit_mapping
from readfirst.harness.source.strict_yaml import load
from readfirst.harness.suite.cases import expanded
from readfirst.harness.suite.events import EVENTS, WITH_STEPS, inner_steps

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

StepPath = tuple[int, ...]
"""The place of a step in `Scenario.steps`: `(2,)` is the third, `(2, 0)` the first call of a parallel group there.

A world event that names several paths is several steps there, though one in the file; a sub-agent's steps are
between its beginning and its end."""


class RewriteError(Exception):
    """The file is written in a way that cannot be changed in place; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Leave what the clause at `index` states."""

    index: int


@dataclass(frozen=True, slots=True)
class Update:
    """Give the clause at `index` other recorded keys; `documented` stays."""

    index: int
    recorded: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class New:
    """Write a clause that was not there."""

    recorded: Mapping[str, Value]


ClauseEdit = Keep | Update | New

RECORDED = ("answer", "error", "text", "files", "reminders")


def rewrite_expectations(source: str, edits: Mapping[StepPath, Sequence[ClauseEdit]]) -> str:
    """Return the file with the `expect` of the named steps replaced; without clauses it is removed.

    A step without `expect` gets one. Comments stay, also those inside a changed clause. Raises RewriteError
    where a step is written in flow style (`- {Read: ...}`), and if anything but the expectations would change.
    """
    lines = source.split("\n")
    root: Any = yaml.compose(source, Loader=LOADER)
    steps = load(source.encode(), Path("-")).value["steps"]
    replacements = [
        _replacement(lines, _node(root, ["steps", *place_of(steps, path)]), edits[path]) for path in edits
    ]
    # From the end, so that what is still to be replaced keeps its place.
    for start, end, written in sorted(replacements, reverse=True):
        lines[start:end] = written
    rewritten = "\n".join(lines)
    _check_rest(source, rewritten)
    return rewritten


def _replacement(
    lines: list[str], step: yaml.MappingNode, edits: Sequence[ClauseEdit]
) -> tuple[int, int, list[str]]:
    """Return the range of lines to replace, and the lines to put there."""
    if step.flow_style:
        line = step.start_mark.line + 1
        raise RewriteError(f"line {line}: write the step in block style (`- Read: {{...}}`), not in braces")
    column = step.start_mark.column
    present = child(step, "expect")
    if present is None:
        end = last_line(lines, step.value[-1]) + 1
        return end, end, _expect_lines(lines, None, edits, column)
    key, _ = present
    return key.start_mark.line, last_line(lines, present) + 1, _expect_lines(lines, present, edits, column)


def _expect_lines(
    lines: list[str], present: tuple[yaml.Node, yaml.Node] | None, edits: Sequence[ClauseEdit], column: int
) -> list[str]:
    if not edits:
        return []
    old = _clauses(lines, present) if present is not None else []
    inner = column + 2
    indent = inner + 2 if len(edits) > 1 else inner
    written = [" " * column + "expect:"]
    for edit in edits:
        comments: list[str] = []
        if isinstance(edit, New):
            body = emit_mapping(edit.recorded, indent)
        else:
            clause, comments = old[edit.index]
            if isinstance(clause, yaml.MappingNode):
                body = _clause_lines(lines, clause, edit, indent)
            elif isinstance(edit, Update):  # of a word for the whole clause
                body = emit_mapping(edit.recorded, indent)
            else:
                body = [f"{' ' * indent}{clause.value}"]
        written += [" " * inner + comment for comment in comments]
        if len(edits) > 1:
            first = next(index for index, line in enumerate(body) if not line.lstrip().startswith("#"))
            body[first] = f"{' ' * inner}- {body[first].lstrip()}"
        written += body
    return written


def _clauses(lines: list[str], present: tuple[yaml.Node, yaml.Node]) -> list[tuple[yaml.Node, list[str]]]:
    """Return each clause with the comments before it."""
    key, value = present
    nodes: list[Any] = value.value if isinstance(value, yaml.SequenceNode) else [value]
    clauses = []
    start = key.start_mark.line + 1
    for node in nodes:
        above = [line.strip() for line in lines[start : node.start_mark.line]]
        clauses.append((node, [line for line in above if line.startswith("#")]))
        if isinstance(node, yaml.ScalarNode):
            start = node.end_mark.line + 1
        elif not node.flow_style:
            start = last_line(lines, node.value[-1]) + 1
    return clauses


def _clause_lines(lines: list[str], clause: yaml.MappingNode, edit: Keep | Update, indent: int) -> list[str]:
    """Return the clause at column `indent`; with other recorded keys for an Update."""
    left_out = frozenset(RECORDED if isinstance(edit, Update) else ())
    written: list[str] = []
    for name, comments, entry in _entries(lines, clause, indent):
        written += comments
        if name not in left_out:
            written += entry
    if isinstance(edit, Keep):
        return written
    changed = {key: edit.recorded[key] for key in RECORDED if key in edit.recorded}
    return written + emit_mapping(changed, indent)


def _entries(
    lines: list[str], clause: yaml.MappingNode, indent: int
) -> list[tuple[str, list[str], list[str]]]:
    """Return name, comments before and lines of each entry, moved to column `indent`."""
    if clause.flow_style:
        values = load(_flow_source(lines, clause).encode(), Path("-")).value
        return [(name, [], emit_mapping({name: value}, indent)) for name, value in values.items()]
    shift = indent - clause.start_mark.column
    entries = []
    start = clause.start_mark.line
    for key, value in clause.value:
        first = key.start_mark.line
        last = last_line(lines, (key, value))
        comments = [" " * indent + line.strip() for line in lines[start:first] if line.strip()]
        entry = [_shifted(line, shift) for line in lines[first : last + 1]]
        # The first entry of a list item follows its dash.
        entry[0] = " " * indent + lines[first][key.start_mark.column :]
        entries.append((str(key.value), comments, entry))
        start = last + 1
    return entries


def _shifted(line: str, by: int) -> str:
    if not line.strip():
        return line
    return " " * by + line if by >= 0 else line[-by:]


def _flow_source(lines: list[str], node: yaml.Node) -> str:
    start, end = node.start_mark, node.end_mark
    if start.line == end.line:
        return lines[start.line][start.column : end.column]
    middle = lines[start.line + 1 : end.line]
    return "\n".join((lines[start.line][start.column :], *middle, lines[end.line][: end.column]))


def last_line(lines: list[str], entry: tuple[yaml.Node, yaml.Node]) -> int:
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
            entry = child(root, key)
            assert entry is not None
            root = entry[1]
    return root


def place_of(steps: Sequence[Any], path: StepPath) -> list[int | str]:
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
            several = key in EVENTS and isinstance(value, dict)
            yield from repeat([number], len(value) if several else 1)


def child(node: yaml.Node, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return key and value of an entry of a mapping; None if there is none."""
    for key, value in node.value:
        if key.value == name:
            return key, value
    return None


def _check_rest(before: str, after: str) -> None:
    if _without_expectations(before) != _without_expectations(after):
        raise RewriteError("the steps would change; write each step in block style, `expect` as its last key")


def _without_expectations(source: str) -> Any:
    value = load(source.encode(), Path("-")).value
    for step in value["steps"]:
        for each in (step, *inner_steps(step)[1]):
            for call in (each, *(each.get("parallel") or ())):
                call.pop("expect", None)
    return value


_PLACE = re.compile(r"<([a-z][a-z0-9_]*)>")
_GONE: Any = object()


def rewrite_case(source: str, slug: str, edits: Mapping[StepPath, Sequence[ClauseEdit]]) -> str:
    """Return the file with other values of one case, so that its steps expect what was recorded.

    Raises RewriteError where no value of the case can say it: what the file says for all its cases is left alone.
    """
    file = Path("table")
    whole = load(source.encode(), file).value
    one = expanded(source.encode(), file, slug)
    assert one is not None
    values: dict[str, Any] = {}
    for path, clauses in edits.items():
        said = _step(whole["steps"], path).get("expect", _GONE)
        now = _step(one.value["steps"], path).get("expect", {})
        try:
            _unify(said, _wanted(now, clauses), whole["cases"][slug], values)
        except _NoValueError as error:
            number = path[0] + 1
            raise RewriteError(
                f"step {number} of the table cannot say {error} for {slug} alone; write a name in its place there, "
                f"such as `expect: <answer{number}>`, or give {slug} a file of its own"
            ) from None
    return _with_values(source, slug, values)


class _NoValueError(Exception):
    pass


def _wanted(now: Any, edits: Sequence[ClauseEdit]) -> Any:
    old = now if isinstance(now, list) else [now]
    clauses = []
    for edit in edits:
        if isinstance(edit, New):
            clauses.append(dict(edit.recorded))
        elif isinstance(edit, Keep):
            clauses.append(old[edit.index])
        else:
            stated = {} if isinstance(old[edit.index], str) else old[edit.index]
            kept = {key: value for key, value in stated.items() if key not in RECORDED}
            clauses.append({**kept, **edit.recorded})
    return _GONE if not clauses else clauses[0] if len(clauses) == 1 else clauses


def _unify(said: Any, wanted: Any, case: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Find the values with which what the file says becomes what is wanted. Raises _NoValueError."""
    alone = _PLACE.fullmatch(said) if isinstance(said, str) else None
    if alone:
        if values.setdefault(alone[1], wanted) != wanted:
            raise _NoValueError(f"two things by <{alone[1]}>")
    elif isinstance(said, dict) and isinstance(wanted, dict):
        named = {_filled(key, {**case, **values}): value for key, value in said.items()}
        for key in {**named, **wanted}:
            _unify(named.get(key, _GONE), wanted.get(key, _GONE), case, values)
    elif isinstance(said, list) and isinstance(wanted, list) and len(said) == len(wanted):
        for one, other in zip(said, wanted, strict=True):
            _unify(one, other, case, values)
    elif isinstance(said, str) and isinstance(wanted, str):
        if _filled(said, {**case, **values}) != wanted:
            raise _NoValueError(repr(wanted[:60]))
    elif said != wanted:
        raise _NoValueError("nothing" if wanted is _GONE else repr(wanted)[:60])


def _filled(text: str, values: Mapping[str, Any]) -> str:
    return _PLACE.sub(lambda match: str(values.get(match[1], match[0])), text)


def _step(steps: Any, path: StepPath) -> dict[str, Any]:
    """Return the step at a place of `Scenario.steps`."""
    for key in place_of(steps, path):
        steps = steps[key]
    found: dict[str, Any] = steps
    return found


def _with_values(source: str, slug: str, values: Mapping[str, Any]) -> str:
    lines = source.split("\n")
    root: Any = yaml.compose(source, Loader=LOADER)
    cases = child(root, "cases")
    assert cases is not None
    case = child(cases[1], slug)
    assert case is not None
    node: Any = case[1]
    if node.flow_style:
        raise RewriteError(f"write the case {slug} in block style, a line for each value")
    column = node.start_mark.column
    places = {
        key.value: (key.start_mark.line, last_line(lines, (key, value)) + 1) for key, value in node.value
    }
    end = max(after for _, after in places.values())
    replaced = []
    for name, value in values.items():
        written = [] if value is _GONE else emit_mapping({name: value}, column, 60)
        replaced.append((*places.get(name, (end, end)), written))
    for start, after, written in sorted(replaced, key=lambda each: each[:2], reverse=True):
        lines[start:after] = written
    return "\n".join(lines)
