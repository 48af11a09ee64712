"""Translate a call of the contract into a call of a target, and the target's answer into a result."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import AdapterError, ToolResult, UnsupportedCall
from readfirst.harness.workspace.contained_file import open_inside, resolve_inside
from readfirst.harness.workspace.snapshot import MAX_FILE_BYTES
from readfirst.observatory.targets.edit_formats import InexpressibleError, Knowledge, write_call
from readfirst.observatory.targets.mapping import PLACEHOLDER_PATTERN, Target, placeholders

_PATH_ARGUMENTS = ("file_path", "notebook_path")

_ABSENT = object()
"""The value of a placeholder whose argument is missing in the call. Keys of a template with this value are omitted."""


@dataclass(frozen=True, slots=True)
class TargetCall:
    """A translated call: the name of the target's tool, and the arguments for it."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TargetAnswer:
    """The target's original answer: `value` is marked as an error if `flagged`, and an exception if `raised`."""

    value: Any
    flagged: bool = False
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of placeholders in one session: `$WS` (the workspace `root`), `$HOME`, and captured values."""

    root: Path
    home: Path
    captured: Mapping[str, str] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """Return the value of each placeholder, by the placeholder's name without `$`."""
        return {"WS": str(self.root), "HOME": str(self.home), **self.captured}

    def with_captures(self, captured: Mapping[str, str]) -> "Scope":
        """Return a copy of the scope that also contains these captured values."""
        return replace(self, captured={**self.captured, **captured})


def missing_capability(target: Target, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the capability that the target lacks for a call, such as `Edit with replace_all`. Empty if none."""
    mapping = target.tools.get(tool)
    if mapping is None:
        return tool
    for name in mapping.unsupported:
        if name in arguments:
            return f"{tool} with {name}"
    if mapping.replace_all == "unsupported" and arguments.get("replace_all"):
        return f"{tool} with replace_all"
    for name in _PATH_ARGUMENTS:
        path = arguments.get(name)
        if isinstance(path, str):
            for pattern in mapping.unsupported_files:
                lower = path.lower()
                if any(fnmatchcase(each, pattern.lower()) for each in (lower.rpartition("/")[2], lower)):
                    return f"{tool} of {pattern}"
    return ""


def translate_call(
    target: Target, tool: str, arguments: Mapping[str, Any], scope: Scope, knowledge: Knowledge | None = None
) -> TargetCall:
    """Translate a scenario's call into a call of the target's tool. Texts such as patches are written from `knowledge`.
    Raises AdapterError for a missing tool, UnsupportedCall if the format cannot express the call.
    """
    mapping = target.tools.get(tool)
    if mapping is None:
        raise AdapterError(f"{target.name} has no tool for {tool}", blame="harness")
    given = {
        name: _target_path(target, value, scope) if name in _PATH_ARGUMENTS else value
        for name, value in arguments.items()
    }
    if mapping.format is not None:
        path = given.get("file_path")
        try:
            text = write_call(
                mapping.format,
                tool,
                arguments,
                path if isinstance(path, str) else "",
                knowledge or Knowledge(),
            )
        except InexpressibleError as error:
            raise UnsupportedCall(f"{tool} of {error}") from None
        return TargetCall(
            mapping.call, fill_template(mapping.arguments, {**given, **scope.values(), "text": text})
        )
    omitted = {*mapping.omit} | ({"replace_all"} if mapping.replace_all is not None else set())
    extra: dict[str, Any] = {}
    match mapping.replace_all:
        case {"flag": name} if "replace_all" in arguments:
            extra = {name: arguments["replace_all"]}
        case {"count": name} if arguments.get("replace_all") is True:
            extra = {name: _count_matches(arguments, scope)}
    values = {name: value for name, value in given.items() if name not in omitted}
    used = {name for _, name in placeholders(mapping.arguments)}
    passed = {name: value for name, value in values.items() if name not in used}
    filled = fill_template(mapping.arguments, values | scope.values())
    return TargetCall(mapping.call, {**filled, **extra, **passed})


def _count_matches(arguments: Mapping[str, Any], scope: Scope) -> int:
    """Return how often `old_string` occurs in the file, at least 1. An unreadable file also counts as 1."""
    path, old = arguments.get("file_path"), arguments.get("old_string")
    text = read_workspace_text(scope.root, path) if isinstance(path, str) else None
    if text is None or not isinstance(old, str) or not old:
        return 1
    return max(1, text.replace("\r\n", "\n").count(old))


def read_inside(root: str, path: str) -> bytes:
    """Return the content of a file in `root`. Raises OSError, and ValueError if the file is outside or too large."""
    root = os.path.realpath(root)
    with os.fdopen(open_inside(root, resolve_inside(root, path), os.O_RDONLY), "rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"{path} has more than {MAX_FILE_BYTES} bytes")
    return data


def read_workspace_text(root: Path, path: str) -> str | None:
    """Return the text of a regular file in the workspace `root`. None if the file cannot be read."""
    try:
        return read_inside(str(root), path).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _target_path(target: Target, value: Any, scope: Scope) -> Any:
    """Return `value` as the target expects paths in the workspace: absolute, relative, or with `/` as the root."""
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
    filled = {key: _fill_value(item, values) for key, item in template.items()}
    return {key: item for key, item in filled.items() if item is not _ABSENT}


def _fill_value(template: Any, values: Mapping[str, Any]) -> Any:
    match template:
        case str() if (match := PLACEHOLDER_PATTERN.fullmatch(template)) is not None:
            return values.get(match[1], _ABSENT)
        case str():
            for name in ("WS", "HOME"):
                template = template.replace(f"${name}", str(values.get(name, f"${name}")))
            return template
        case list():
            items = [_fill_value(item, values) for item in template]
            return _ABSENT if _ABSENT in items else items
        case {"$sum": parts}:
            numbers = [_number(_fill_value(part, values)) for part in parts]
            return sum(numbers) if all(type(number) is int for number in numbers) else _ABSENT
        case {"$first": choices}:
            filled = (_fill_value(choice, values) for choice in choices)
            return next((choice for choice in filled if choice is not _ABSENT), _ABSENT)
        case Mapping():
            return fill_template(template, values)
        case _:
            return template


class CapturedText(str):
    """A text that was captured from an answer. `$sum` treats a captured `12` as a number, but not an argument `12`."""

    __slots__ = ()


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, CapturedText) and re.fullmatch("[0-9]{1,15}", value) else value


def captured_values(answer: Sequence[str], patterns: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    """Return group 1 of the first match of each pattern in an answer, by the pattern's name, for later calls."""
    values: dict[str, str] = {}
    for name, pattern in patterns.items():
        for text in answer:
            if (match := pattern.search(text)) is not None and match[1] is not None:
                values[name] = CapturedText(match[1])
                break
    return values


def searchable_texts(target: Target, answer: TargetAnswer) -> tuple[str, ...]:
    """Return the texts to search for captured values: the text of the answer, and the whole answer as JSON."""
    text = answer.value if answer.raised else _value_at(answer.value, target.result.text)
    whole = json.dumps(answer.value, ensure_ascii=False, default=str)
    return (text, whole) if isinstance(text, str) else (whole,)


def contract_result(target: Target, tool: str, answer: TargetAnswer, scope: Scope) -> ToolResult:
    """Translate an answer into a result of `tool`. The mapping names the error of a refusal. Raises AdapterError."""
    rules = target.result
    if answer.raised:
        if not rules.exception:
            raise AdapterError(f"the target raised {answer.value}", blame="adapter")
        text = str(answer.value)
    else:
        text = _value_at(answer.value, rules.text)
        if not isinstance(text, str):
            where = ".".join(map(str, rules.text)) or "the answer itself"
            raise AdapterError(f"the target answered {str(answer.value)[:200]}; {where} is not a text")
    is_error = (
        answer.raised
        or (rules.flag and answer.flagged)
        or (bool(rules.at) and _value_at(answer.value, rules.at) in rules.is_error)
        or any(pattern.search(text) for pattern in rules.matches)
    )
    for pattern, replacement in rules.clean:
        text = pattern.sub(replacement, text)
    error = rules.errors.name_of(tool, text.replace(str(scope.root), "$WS")) if is_error else None
    return ToolResult(text, is_error, error)


def _value_at(value: Any, keys: tuple[str | int, ...]) -> Any:
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value
