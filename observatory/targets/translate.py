"""Translate a call of the contract into a call of a target, and the target's answer into a result."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import AdapterError, ToolResult, UnsupportedCall
from readfirst.harness.workspace.contained_file import read_inside
from readfirst.observatory.targets.edit_formats import Knowledge, Unexpressed, write_call
from readfirst.observatory.targets.mapping import Target, placeholders

_NAME = re.compile(r"\$([A-Za-z_]\w*)")
_PATHS = ("file_path", "notebook_path")


_ABSENT = object()
"""Marks a value that the call does not contain. Keys with this value are omitted."""


@dataclass(frozen=True, slots=True)
class TargetCall:
    """One call in the form of the target: the name of its tool, and the arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TargetAnswer:
    """The original answer of the target: its value in JSON types, whether the connection marked it as an error
    (`flagged`), and whether it is an exception (`raised`).
    """

    value: Any
    flagged: bool = False
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of the placeholders `$WS`, `$HOME` and of captured values in one session."""

    root: Path
    home: Path
    captured: Mapping[str, str] | None = None

    def values(self) -> dict[str, Any]:
        """Return the value of each placeholder, by name without `$`."""
        return {"WS": str(self.root), "HOME": str(self.home), **(self.captured or {})}


def lacks(target: Target, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the capability that the target lacks for a call (`Edit with replace_all`). Empty if supported."""
    mapping = target.tools.get(tool)
    if mapping is None:
        return tool
    for name in mapping.unsupported:
        if name in arguments:
            return f"{tool} with {name}"
    rule = mapping.replace_all
    if rule is not None and rule.kind == "unsupported" and arguments.get("replace_all"):
        return f"{tool} with replace_all"
    for name in _PATHS:
        path = arguments.get(name)
        if isinstance(path, str):
            for pattern in mapping.unsupported_files:
                lower = path.lower()
                if any(fnmatchcase(each, pattern.lower()) for each in (lower.rpartition("/")[2], lower)):
                    return f"{tool} of {pattern}"
    return ""


def translate_call(
    target: Target,
    tool: str,
    arguments: Mapping[str, Any],
    scope: Scope,
    known: Knowledge | None = None,
) -> TargetCall:
    """Return a call of the contract in the form of the target.

    `known` is the model's knowledge of files; it is used if the tool's calls are texts in a format. Raises
    AdapterError for a tool that the target lacks, and UnsupportedCall if the format cannot express the call.
    """
    mapping = target.tools.get(tool)
    if mapping is None:
        raise AdapterError(f"{target.name} has no tool for {tool}", blame="harness")
    given = {
        name: _path(target, value, scope) if name in _PATHS else value for name, value in arguments.items()
    }
    if mapping.format is not None:
        path = given.get("file_path")
        try:
            text = write_call(
                mapping.format, tool, arguments, path if isinstance(path, str) else "", known or Knowledge()
            )
        except Unexpressed as error:
            raise UnsupportedCall(f"{tool} of {error}") from None
        return TargetCall(
            mapping.call, fill_template(mapping.arguments, {**given, **scope.values(), "text": text})
        )
    left = {*mapping.omit}
    extra: dict[str, Any] = {}
    rule = mapping.replace_all
    if rule is not None:
        left.add("replace_all")
        extra = _replace_all(rule.kind, rule.name, arguments, scope)
    used = {name for _, name in placeholders(mapping.arguments)}
    passed = {name: value for name, value in given.items() if name not in used and name not in left}
    values = {name: value for name, value in given.items() if name not in left} | scope.values()
    return TargetCall(mapping.call, {**fill_template(mapping.arguments, values), **extra, **passed})


def _replace_all(kind: str, name: str, arguments: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    wanted = arguments.get("replace_all")
    match kind:
        case "flag" if "replace_all" in arguments:
            return {name: wanted}
        case "count" if wanted is True:
            return {name: _matches(arguments, scope)}
        case _:
            return {}


def _matches(arguments: Mapping[str, Any], scope: Scope) -> int:
    """Return how often `old_string` occurs in the file after decoding. 1 if the file cannot be read, or if the text
    does not occur.
    """
    path, old = arguments.get("file_path"), arguments.get("old_string")
    text = text_at(scope.root, path) if isinstance(path, str) else None
    if text is None or not isinstance(old, str) or not old:
        return 1
    return max(1, text.replace("\r\n", "\n").count(old))


def text_at(root: Path, path: str) -> str | None:
    """Return the text of a regular file in the workspace, or None."""
    try:
        return read_inside(str(root), path).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _path(target: Target, value: Any, scope: Scope) -> Any:
    root = str(scope.root)
    if not isinstance(value, str) or not (value == root or value.startswith(root + "/")):
        return value
    inside = value[len(root) :].lstrip("/")
    match target.paths:
        case "relative":
            return inside or "."
        case "virtual":
            return "/" + inside
        case _:
            return value


def fill_template(template: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template with its placeholders replaced. Keys whose placeholder has no value are omitted."""
    filled_in = {key: _fill_value(item, values) for key, item in template.items()}
    return {key: item for key, item in filled_in.items() if item is not _ABSENT}


def _fill_value(template: Any, values: Mapping[str, Any]) -> Any:
    match template:
        case str() if (name := _NAME.fullmatch(template)) is not None:
            return values.get(name[1], _ABSENT)
        case str():
            for place in ("WS", "HOME"):
                template = template.replace(f"${place}", str(values.get(place, f"${place}")))
            return template
        case list():
            items = [_fill_value(item, values) for item in template]
            return _ABSENT if _ABSENT in items else items
        case {"$sum": parts}:
            numbers = [_number(_fill_value(part, values)) for part in parts]
            return sum(numbers) if all(type(number) is int for number in numbers) else _ABSENT
        case {"$first": choices}:
            found = (_fill_value(choice, values) for choice in choices)
            return next((choice for choice in found if choice is not _ABSENT), _ABSENT)
        case Mapping():
            return fill_template(template, values)
        case _:
            return template


class Captured(str):
    """A text captured from an answer. If it has only digits, it may be used as a number; an argument of the model may
    not.
    """

    __slots__ = ()


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, Captured) and re.fullmatch("[0-9]{1,15}", value) else value


def captured(answer: Sequence[str], patterns: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    """Return the first match of each expression in the texts of an answer. Expressions without a match are omitted."""
    found: dict[str, str] = {}
    for name, pattern in patterns.items():
        for text in answer:
            if (match := pattern.search(text)) is not None and match[1] is not None:
                found[name] = Captured(match[1])
                break
    return found


def text_of(target: Target, answer: TargetAnswer) -> tuple[str, ...]:
    """Return the texts to search for values: the answer's uncleaned text, and the whole answer as JSON."""
    text = answer.value if answer.raised else _at(answer.value, target.result.text)
    whole = json.dumps(answer.value, ensure_ascii=False, default=str)
    return (text, whole) if isinstance(text, str) else (whole,)


def result_of(target: Target, tool: str, answer: TargetAnswer, scope: Scope) -> ToolResult:
    """Return an answer in the form of the contract, with the error's name if the mapping knows the target's message.

    Raises:
        AdapterError: The answer has no text at the stated place, or is an exception that is not a refusal.
    """
    rules = target.result
    if answer.raised:
        if not rules.exception:
            raise AdapterError(f"the target raised {answer.value}", blame="adapter")
        text = str(answer.value)
    else:
        text = _at(answer.value, rules.text)
        if not isinstance(text, str):
            where = ".".join(map(str, rules.text)) or "the answer itself"
            raise AdapterError(f"the target answered {str(answer.value)[:200]}; {where} is no text")
    is_error = (
        answer.raised
        or (rules.flag and answer.flagged)
        or (bool(rules.at) and _at(answer.value, rules.at) in rules.is_error)
        or any(pattern.search(text) for pattern in rules.matches)
    )
    for pattern, with_ in rules.clean:
        text = pattern.sub(with_, text)
    error = rules.errors.name_of(tool, text.replace(str(scope.root), "$WS")) if is_error else None
    return ToolResult(text, is_error, error)


def _at(value: Any, keys: tuple[str | int, ...]) -> Any:
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def with_captures(scope: Scope, found: Mapping[str, str]) -> Scope:
    """Return the scope with additional captured values."""
    return replace(scope, captured={**(scope.captured or {}), **found})
