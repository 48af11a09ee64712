"""Tables of cases: a file with several scenarios, and the expansion of each to a separate document.

`cases` contains the differences of each scenario, by the last part of its id. Keys of a scenario replace those at the
top of the file. Any other key is a value that replaces `<key>` everywhere in the file. A key or an item of a list that
consists only of such a name is omitted in a case without this value.
"""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document

CASES = "cases"
HEADING_KEYS = (
    "title",
    "about",
    "requirement",
    "rule",
    "tags",
    "sources",
    "disputed",
    "invariant",
    "law",  # the former name of `invariant`, accepted for one release
    "platform",
    "contract",
)
SCENARIO_KEYS = (*HEADING_KEYS, "given", "steps")
"""The keys of a scenario. A case may define each of them in place of the common part."""
_LISTED_KEYS = ("title", "requirement", "rule", "tags")

_COLUMN = re.compile(r"[a-z][a-z0-9_]*")
_PLACE = re.compile(r"<([a-z][a-z0-9_]*)>")
_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_ABSENT: Any = object()


@lru_cache(maxsize=256)
def read_cases(data: bytes, file: Path) -> Document:
    """Return the document of a file of cases. Cached for ids, headings and scenarios. Raises SuiteError."""
    document = strict_yaml.load(data, file)
    found = _problem(document)
    if found is not None:
        raise SuiteError([found])
    return document


def _problem(document: Document) -> Finding | None:
    top = document.value
    if not isinstance(top, dict) or not isinstance(top.get(CASES), dict) or not top[CASES]:
        fix = "Write `cases:`, and below it the last part of each scenario's id with what the scenario has of its own."
        return Finding("cases-form", document.position((CASES,)), "this file has no cases", fix)
    for slug, case in top[CASES].items():
        place = (CASES, slug)
        if not re.fullmatch(_NAME, slug):
            fix = "Write lower-case letters, digits and single hyphens: it is the last part of the scenario's id."
            message = f"{slug!r} cannot be the name of a case"
            return Finding("cases-form", document.position(place, key=True), message, fix)
        if not isinstance(case, dict):
            fix = "Write a mapping with its title."
            return Finding("cases-form", document.position(place), f"the case {slug} is no mapping", fix)
        for key in case:
            if not _COLUMN.fullmatch(key):
                fix = "Write lower-case letters, digits and underscores, beginning with a letter."
                message = f"{key!r} cannot be the name of a value"
                return Finding("cases-form", document.position((*place, key), key=True), message, fix)
    return None


def columns_of(document: Document) -> dict[str, str]:
    """Return the names of values of cases besides the keys of a scenario, each with the first case that has it."""
    found: dict[str, str] = {}
    for slug, case in document.value[CASES].items():
        for key in case:
            if key not in SCENARIO_KEYS:
                found.setdefault(key, slug)
    return found


@lru_cache(maxsize=256)
def _columns(data: bytes, file: Path) -> Collection[str]:
    return columns_of(read_cases(data, file))


def names_used(document: Document) -> set[str]:
    """Return the names in angle brackets in the common part of a file."""
    said: set[str] = set()
    left = [value for key, value in document.value.items() if key != CASES]
    while left:
        match left.pop():
            case str() as text:
                said.update(_PLACE.findall(text))
            case dict() as fields:
                left += [*fields, *fields.values()]
            case list() as items:
                left += items
    return said


def unused_values(document: Document) -> dict[str, tuple[str, ...]]:
    """Return the names of the values that are used nowhere, each with where a case has it."""
    used = names_used(document)
    return {name: (CASES, slug, name) for name, slug in columns_of(document).items() if name not in used}


@lru_cache(maxsize=256)
def case_headings(data: bytes, file: Path) -> Mapping[str, Document]:
    """Return the metadata of each case of a file, by the last part of its id. Cached. Raises SuiteError."""
    table = read_cases(data, file)
    return {slug: _expand(table, slug, _columns(data, file), _LISTED_KEYS) for slug in table.value[CASES]}


def expand_case(data: bytes, file: Path, slug: str) -> Document | None:
    """Return one case of a file as the document of a separate scenario. None if the case does not exist.

    Positions are those in the file. The position of a value is that in the case which defines it. Raises SuiteError.
    """
    table = read_cases(data, file)
    return _expand(table, slug, _columns(data, file), SCENARIO_KEYS) if slug in table.value[CASES] else None


def _expand(table: Document, slug: str, columns: Collection[str], keys: Collection[str]) -> Document:
    """Return these keys of a case. Raises SuiteError if a text contains a name whose value the case lacks."""
    case, marks = table.value[CASES][slug], table.marks[1][CASES][1][1][slug][1]
    values = dict.fromkeys(columns, _ABSENT)
    values |= {key: (case[key], marks[1][key][1]) for key in case if key not in SCENARIO_KEYS}
    own: dict[str, Any] = {}
    own_marks: dict[str, Any] = {}
    for key in (*table.value, *case):
        if key not in keys:
            continue
        if key in case:
            own[key], own_marks[key] = case[key], marks[1][key]
        elif key in table.value:
            key_mark, mark = table.marks[1][key]
            try:
                value, mark = _fill_values(table.value[key], mark, values)
            except _MissingValueError as error:
                raise SuiteError([_missing_value(table, slug, str(error))]) from None
            if value is not _ABSENT:
                own[key], own_marks[key] = value, (key_mark, mark)
    return Document(own, table.file, table.data, (marks[0], own_marks))


class _MissingValueError(Exception):
    """A text contains this name, and the case has no value for it."""


def _missing_value(table: Document, slug: str, name: str) -> Finding:
    message = f"the case {slug} has no value for <{name}>, which is a part of a text above"
    fix = f"Write `{name}:` with its value; only a key or an item that is <{name}> alone may lack one."
    return Finding("cases-form", table.position((CASES, slug), key=True), message, fix)


def _fill_values(
    value: Any, mark: Any, values: Mapping[str, Any], *, expecting: bool = False
) -> tuple[Any, Any]:
    """Return a value with the values of a case inserted, and its positions. `_ABSENT` if the case does not define the
    value.

    If no case defines an expectation yet, it is omitted: the recorder adds it.
    """
    match value:
        case str() if "<" in value:
            alone = _PLACE.fullmatch(value)
            if alone and (expecting or alone[1] in values):
                found = values.get(alone[1], _ABSENT)
                return (_ABSENT, mark) if found is _ABSENT else found
            return _within(value, values), mark
        case dict():
            filled, marks = {}, {}
            for key, item in value.items():
                key_mark, item_mark = mark[1][key]
                name = _within(key, values)
                item, item_mark = _fill_values(
                    item, item_mark, values, expecting=expecting or key == "expect"
                )
                if item is not _ABSENT and name is not _ABSENT:
                    filled[name], marks[name] = item, (key_mark, item_mark)
            if expecting and value and not filled:
                return _ABSENT, mark
            return filled, (mark[0], marks)
        case list():
            both = [
                _fill_values(item, each, values, expecting=expecting)
                for item, each in zip(value, mark[1], strict=True)
            ]
            both = [each for each in both if each[0] is not _ABSENT]
            return [item for item, _ in both], (mark[0], [each for _, each in both])
        case _:
            return value, mark


def _within(text: str, values: Mapping[str, Any]) -> Any:
    """Return a text with values in the places that are named in it. Raises _MissingValueError."""
    if "<" not in text:
        return text
    alone = _PLACE.fullmatch(text)
    if alone and values.get(alone[1]) is _ABSENT:
        return _ABSENT

    def of(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if found is None:
            return match[0]
        if found is _ABSENT:
            raise _MissingValueError(match[1])
        return _word(found[0])

    return _PLACE.sub(of, text)


def _word(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case _:
            return str(value)
