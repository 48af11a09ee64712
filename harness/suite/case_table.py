"""Tables of cases: a scenario file with several scenarios. Each case is expanded to the document of one scenario.

The key `cases` contains an entry for each scenario. The name of the entry is the last part of the scenario's id; the
entry contains the values that are specific to the scenario. A key of a scenario, such as `title`, replaces the same key
at the top of the file. The value of any other key replaces `<key>` everywhere in the file. If a case lacks a value, a
key or a list item that consists only of `<key>` is omitted.
"""

import re
from collections.abc import Collection, Iterator, Mapping
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
"""The keys of a scenario, which a case may replace. Every other key of a case is the value of a placeholder."""
_METADATA_KEYS = ("title", "requirement", "rule", "tags")

_VALUE_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]*")
_PLACEHOLDER_PATTERN = re.compile(r"<([a-z][a-z0-9_]*)>")
_CASE_NAME_PATTERN = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_ABSENT: Any = object()


@lru_cache(maxsize=256)
def read_cases(data: bytes, file: Path) -> Document:
    """Parse a scenario file with several scenarios (key `cases`). Cached. Raises SuiteError if the key is invalid."""
    document = strict_yaml.load(data, file)
    if error := _find_form_error(document):
        raise SuiteError([error])
    return document


def _find_form_error(document: Document) -> Finding | None:
    """Return a finding for the first error in the key `cases`, such as an invalid case name. None without errors."""
    root = document.value
    if not isinstance(root, dict) or not isinstance(root.get(CASES), dict) or not root[CASES]:
        fix = "Write `cases:`, and below it the last part of each scenario's id with the values of this scenario."
        return Finding("cases-form", document.position((CASES,)), "this file has no cases", fix)
    for case_name, case in root[CASES].items():
        place = (CASES, case_name)
        if not re.fullmatch(_CASE_NAME_PATTERN, case_name):
            fix = "Write lower-case letters, digits and single hyphens: it is the last part of the scenario's id."
            message = f"{case_name!r} cannot be the name of a case"
            return Finding("cases-form", document.position(place, key=True), message, fix)
        if not isinstance(case, dict):
            fix = "Write a mapping with its title."
            return Finding(
                "cases-form", document.position(place), f"the case {case_name} is not a mapping", fix
            )
        for key in case:
            if not _VALUE_NAME_PATTERN.fullmatch(key):
                fix = "Write lower-case letters, digits and underscores, beginning with a letter."
                message = f"{key!r} cannot be the name of a value"
                return Finding("cases-form", document.position((*place, key), key=True), message, fix)
    return None


def value_names_of(document: Document) -> dict[str, str]:
    """Return the placeholders that have a value in a case, each with the name of the first such case."""
    first_cases: dict[str, str] = {}
    for case_name, case in document.value[CASES].items():
        for name in case:
            if name not in SCENARIO_KEYS:
                first_cases.setdefault(name, case_name)
    return first_cases


def placeholders_in(document: Document) -> set[str]:
    """Return the names of all placeholders (`<name>`) in a scenario file outside its key `cases`."""
    outside = [value for key, value in document.value.items() if key != CASES]
    return {name for text in strings_in(outside) for name in _PLACEHOLDER_PATTERN.findall(text)}


def strings_in(value: Any) -> Iterator[str]:
    """Yield each text in a YAML value, also the keys of mappings."""
    match value:
        case str():
            yield value
        case dict():
            yield from strings_in([*value, *value.values()])
        case list():
            for item in value:
                yield from strings_in(item)


def unused_values(document: Document) -> dict[str, tuple[str, ...]]:
    """Find values of cases that no placeholder uses. Return their names, each with the YAML path of the first value."""
    used = placeholders_in(document)
    return {
        name: (CASES, case_name, name)
        for name, case_name in value_names_of(document).items()
        if name not in used
    }


@lru_cache(maxsize=256)
def case_headings(data: bytes, file: Path) -> Mapping[str, Document]:
    """Return the metadata (title, rule and so on) of each case, by the name of the case. Cached. Raises SuiteError."""
    table = read_cases(data, file)
    return {slug: _expand(table, slug, _METADATA_KEYS) for slug in table.value[CASES]}


def expand_case(data: bytes, file: Path, case_name: str) -> Document | None:
    """Return one case of a file with several scenarios as the document of a complete scenario. None if the file has no
    case `case_name`. Positions in the document refer to the original file. Raises SuiteError.
    """
    table = read_cases(data, file)
    if case_name not in table.value[CASES]:
        return None
    return _expand(table, case_name, SCENARIO_KEYS)


def _expand(table: Document, case_name: str, keys: Collection[str]) -> Document:
    """Return the top-level `keys` of one case, with placeholders replaced. Raises SuiteError if a value is missing."""
    case, marks = table.value[CASES][case_name], table.marks[1][CASES][1][1][case_name][1]
    values = dict.fromkeys(value_names_of(table), _ABSENT)
    values |= {key: (case[key], marks[1][key][1]) for key in case if key not in SCENARIO_KEYS}
    case_values: dict[str, Any] = {}
    case_marks: dict[str, Any] = {}
    for key in (*table.value, *case):
        if key not in keys:
            continue
        if key in case:
            case_values[key], case_marks[key] = case[key], marks[1][key]
        elif key in table.value:
            key_mark, mark = table.marks[1][key]
            try:
                value, mark = _fill_values(table.value[key], mark, values)
            except _MissingValueError as error:
                raise SuiteError([_missing_value(table, case_name, str(error))]) from None
            if value is not _ABSENT:
                case_values[key], case_marks[key] = value, (key_mark, mark)
    return Document(case_values, table.file, table.data, (marks[0], case_marks))


class _MissingValueError(Exception):
    """A case lacks the value of a placeholder inside a longer text. The message is the placeholder's name."""


def _missing_value(table: Document, case_name: str, name: str) -> Finding:
    message = f"the case {case_name} has no value for <{name}>, which is a part of a text above"
    fix = f"Write `{name}:` with its value. It may be missing only if <{name}> is a whole key or list item."
    return Finding("cases-form", table.position((CASES, case_name), key=True), message, fix)


def _fill_values(
    value: Any, mark: Any, values: Mapping[str, Any], *, expecting: bool = False
) -> tuple[Any, Any]:
    """Replace the placeholders in a YAML value. Return the new value with the positions of its items in the file.
    `mark` contains the positions in `value`. A text that is only a placeholder without a value becomes `_ABSENT`; so
    does an undefined placeholder inside the key `expect` (`expecting`).
    """
    match value:
        case str() if "<" in value:
            whole = _PLACEHOLDER_PATTERN.fullmatch(value)
            if whole and (expecting or whole[1] in values):
                value_and_mark = values.get(whole[1], _ABSENT)
                return (_ABSENT, mark) if value_and_mark is _ABSENT else value_and_mark
            return _fill_text(value, values), mark
        case dict():
            filled, marks = {}, {}
            for key, item in value.items():
                key_mark, item_mark = mark[1][key]
                name = _fill_text(key, values)
                item, item_mark = _fill_values(
                    item, item_mark, values, expecting=expecting or key == "expect"
                )
                if item is not _ABSENT and name is not _ABSENT:
                    filled[name], marks[name] = item, (key_mark, item_mark)
            if expecting and value and not filled:
                return _ABSENT, mark
            return filled, (mark[0], marks)
        case list():
            pairs = [
                _fill_values(item, item_mark, values, expecting=expecting)
                for item, item_mark in zip(value, mark[1], strict=True)
            ]
            pairs = [pair for pair in pairs if pair[0] is not _ABSENT]
            return [item for item, _ in pairs], (mark[0], [item_mark for _, item_mark in pairs])
        case _:
            return value, mark


def _fill_text(text: str, values: Mapping[str, Any]) -> Any:
    """Replace the placeholders in a text. Return `_ABSENT` if the text is only a placeholder without a value. Raises
    _MissingValueError if a placeholder inside a longer text has no value.
    """
    if "<" not in text:
        return text
    whole = _PLACEHOLDER_PATTERN.fullmatch(text)
    if whole and values.get(whole[1]) is _ABSENT:
        return _ABSENT

    def value_text(match: re.Match[str]) -> str:
        value_and_mark = values.get(match[1])
        if value_and_mark is None:
            return match[0]
        if value_and_mark is _ABSENT:
            raise _MissingValueError(match[1])
        return _yaml_text(value_and_mark[0])

    return _PLACEHOLDER_PATTERN.sub(value_text, text)


def _yaml_text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case _:
            return str(value)
