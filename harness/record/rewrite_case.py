"""Rewrite a case of a table in place: its values become those with which the file says what was recorded."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.record.rewrite import (
    LOADER,
    RECORDED,
    ClauseEdit,
    Keep,
    New,
    RewriteError,
    StepPath,
    child,
    last_line,
    place_of,
)
from readfirst.harness.source.emit import emit_mapping
from readfirst.harness.source.strict_yaml import load
from readfirst.harness.suite.cases import expanded

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
