"""Cases: a file that holds several scenarios as a table, and each of them expanded to a document of its own.

Under `cases` is what each scenario has of its own, by the last part of its id: keys of a scenario replace those at
the top of the file, and any other key is a value that takes the place of `<key>` wherever the file says it. A key or
an item of a list that is such a name alone is left out in a case that has no such value.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.source.strict_yaml import Document
from readfirst.harness.suite.heading import Heading, heading_of, plain_heading

CASES = "cases"
HEADING_KEYS = (
    "title",
    "about",
    "requirement",
    "rule",
    "tags",
    "sources",
    "disputed",
    "law",
    "platform",
    "contract",
)
SCENARIO_KEYS = (*HEADING_KEYS, "given", "steps")
"""What a case may say instead of what the file says at its top."""

_COLUMN = re.compile(r"[a-z][a-z0-9_]*")
_PLACE = re.compile(r"<([a-z][a-z0-9_]*)>")
_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_START = b"\ncases:\n"
_SLUG = re.compile(rf"\n  ({_NAME}):(?=[ \n])".encode())
_OTHER = re.compile(rb"\n(?:  [^ #]| ?[^ #\n])")
"""They begin with the end of the line before, because only such a pattern is searched for fast."""
_ABSENT: Any = object()


@lru_cache(maxsize=24)
def read_cases(data: bytes, file: Path) -> Document:
    """Read a file of cases; the last few are kept, because one scenario after another is asked for."""
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
    """Return the names of the values that cases have, each with the first case that has it."""
    found: dict[str, str] = {}
    for slug, case in document.value[CASES].items():
        for key in case:
            if key not in SCENARIO_KEYS:
                found.setdefault(key, slug)
    return found


@lru_cache(maxsize=24)
def _columns(data: bytes, file: Path) -> Collection[str]:
    return columns_of(read_cases(data, file))


def unused_values(document: Document) -> dict[str, tuple[str, ...]]:
    """Return the names of the values that are used nowhere, each with where a case has it."""
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
    return {name: (CASES, slug, name) for name, slug in columns_of(document).items() if name not in said}


@lru_cache(maxsize=256)
def case_slugs(data: bytes, file: Path) -> Sequence[str]:
    """Return the last parts of the ids in a file of cases, in its order; kept for the next look. Raises SuiteError."""
    parts = _plain_parts(data)
    if parts is not None:
        return [slug for slug, _ in parts]
    return list(read_cases(data, file).value[CASES])


def expanded(data: bytes, file: Path, slug: str) -> Document | None:
    """Return the scenario of one case as if it had a file of its own; None if there is no such case.

    Positions are those in the file: of a value that a case has, in the case. Raises SuiteError.
    """
    table = read_cases(data, file)
    case = table.value[CASES].get(slug)
    if case is None:
        return None
    marks = table.marks[1][CASES][1][1][slug][1]
    values = dict.fromkeys(_columns(data, file), _ABSENT)
    values |= {key: (case[key], marks[1][key][1]) for key in case if key not in SCENARIO_KEYS}
    own: dict[str, Any] = {}
    own_marks: dict[str, Any] = {}
    for key in (*table.value, *case):
        if key in case and key in SCENARIO_KEYS:
            own[key], own_marks[key] = case[key], marks[1][key]
        elif key in table.value and key != CASES:
            key_mark, mark = table.marks[1][key]
            value, mark = _filled(table.value[key], mark, values)
            if value is not _ABSENT:
                own[key], own_marks[key] = value, (key_mark, mark)
    return Document(own, file, data, (marks[0], own_marks))


def _filled(value: Any, mark: Any, values: Mapping[str, Any], *, expecting: bool = False) -> tuple[Any, Any]:
    """Return a value and its marks with the values of a case in their places; `_ABSENT` where there is none.

    In what is expected there is none, too, where no case has one yet: the recorder fills it in.
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
                item, item_mark = _filled(item, item_mark, values, expecting=expecting or key == "expect")
                if item is not _ABSENT and name is not _ABSENT:
                    filled[name], marks[name] = item, (key_mark, item_mark)
            if expecting and value and not filled:
                return _ABSENT, mark
            return filled, (mark[0], marks)
        case list():
            both = [
                _filled(item, each, values, expecting=expecting)
                for item, each in zip(value, mark[1], strict=True)
            ]
            both = [each for each in both if each[0] is not _ABSENT]
            return [item for item, _ in both], (mark[0], [each for _, each in both])
        case _:
            return value, mark


def _within(text: str, values: Mapping[str, Any]) -> Any:
    """Return a text with values in the places that are named in it; a name without a value leaves nothing."""
    if "<" not in text:
        return text
    alone = _PLACE.fullmatch(text)
    if alone and values.get(alone[1]) is _ABSENT:
        return _ABSENT

    def of(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if found is None:
            return match[0]
        return "" if found is _ABSENT else _word(found[0])

    return _PLACE.sub(of, text)


def _word(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case _:
            return str(value)


def _plain_parts(data: bytes) -> list[tuple[str, bytes]] | None:
    """Return the cases of a file that is written as files are, each with its lines; None where a parser must tell."""
    start = data.find(_START)
    if start < 0:
        return None
    body = data[start + len(_START) - 1 :]
    found = list(_SLUG.finditer(body))
    if not found or len(found) != sum(1 for _ in _OTHER.finditer(body)):
        return None
    ends = [*(each.start() + 1 for each in found[1:]), len(body)]
    return [(each[1].decode("ascii"), body[each.end() : end]) for each, end in zip(found, ends, strict=True)]


_TOP = re.compile(rb"(?:#[^\n]*\n)*((?:(?:title|about|requirement|rule|tags|sources): [^\n]*\n)*)")
_HEAD = re.compile(
    rb" *\n((?:    (?:title|about|requirement|rule|tags|sources): [^\n]*\n)*)(?=    [^ ]|\n|\Z)"
)
_LINE = re.compile(rb"^ *(title|requirement|rule|tags): ([^<\n]*)\n", re.MULTILINE)
_LATER = re.compile(rb"^    (?:title|requirement|rule|tags):", re.MULTILINE)
_ORDER = (b"title", b"requirement", b"rule", b"tags")


def case_headings(data: bytes, file: Path, family: str) -> Mapping[str, Heading]:
    """Return the headings of all cases of a file, by their ids. Raises SuiteError."""
    top = _TOP.match(data)
    common = dict(_LINE.findall(top[1] if top else b""))
    plain = dict(_plain_parts(data) or ())
    found = {}
    for slug in case_slugs(data, file):
        scenario_id = f"{family}/{slug}"
        heading = _plain_case(scenario_id, common, plain.get(slug, b""))
        if heading is None:
            document = expanded(data, file, slug)
            assert document is not None
            heading = heading_of(document, scenario_id)
        found[scenario_id] = heading
    return found


def _plain_case(scenario_id: str, common: Mapping[bytes, bytes], lines: bytes) -> Heading | None:
    head = _HEAD.match(lines)
    if head is None or _LATER.search(lines, head.end()):
        return None
    said = {**common, **dict(_LINE.findall(head[1]))}
    if len(_LINE.findall(head[1])) != len(_LATER.findall(head[1])):
        return None
    text = b"".join(b"%s: %s\n" % (key, said[key]) for key in _ORDER if key in said)
    return plain_heading(scenario_id, text + b"steps:\n")
