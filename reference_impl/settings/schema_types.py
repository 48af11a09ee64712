"""Types of the values in a Claude Code settings file. Each type finds the problems of a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "Array",
    "Choice",
    "JsonType",
    "Members",
    "MinimumInteger",
    "ObjectOr",
    "Problem",
    "Record",
    "Rule",
    "Shape",
]

_NAMES: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def name_of(value: Any) -> str:
    """Return the name of a value's JSON type. The value `...` means a missing value: `undefined`."""
    return "undefined" if value is ... else "null" if value is None else _NAMES[type(value)]


def quote_value(value: Any) -> str:
    """Return a value as text for an error message. The value `...` means a missing value: `undefined`."""
    return "undefined" if value is ... else str(value)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a settings file at a `path`, such as `hooks.0.command`."""

    path: str
    # type, option, key (unknown key), unknown (all unknown keys), least, words (a message)
    kind: str
    value: Any = None
    # for `type`, the right type; for `words`, the whole message
    expected: str = ""
    # the allowed strings or keys; for `unknown`, the unknown keys
    options: tuple[str, ...] = ()
    # the message names the single allowed string, without `one of`
    only: bool = False


class Shape(Protocol):
    """The type of a value in a settings file: a function that finds the problems of the value."""

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield the problems of the value at a path of the settings file."""


def _join_path(path: str, key: str | int) -> str:
    return f"{path}.{key}" if path else str(key)


@dataclass(frozen=True, slots=True)
class JsonType:
    """Type of a value in a settings file: one JSON type, or one of several. `name` names the type in messages."""

    kind: type | tuple[type, ...]
    name: str

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield a problem if the value has a different type."""
        wrong_boolean = isinstance(value, bool) and self.kind is not bool
        if wrong_boolean or not isinstance(value, self.kind):
            yield Problem(path, "type", value, self.name)


@dataclass(frozen=True, slots=True)
class Array:
    """Type of a value in a settings file: a list whose items all have the same type."""

    item: Shape

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield the problems of the list and of its items."""
        if not isinstance(value, list):
            yield Problem(path, "type", value, "array")
            return
        for number, item in enumerate(value):
            yield from self.item(item, _join_path(path, number))


@dataclass(frozen=True, slots=True)
class Record:
    """Type of an object in a settings file whose values all have the same type. `keys` are the allowed keys (empty: any
    key). `unknown_together`: all unknown keys together are one problem.
    """

    item: Shape
    keys: tuple[str, ...] = ()
    unknown_together: bool = False

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield the problems of the object, of its keys and of its values."""
        if not isinstance(value, dict):
            yield Problem(path, "type", value, "record")
            return
        unknown = [key for key in value if self.keys and key not in self.keys]
        for key, item in value.items():
            if key not in unknown:
                yield from self.item(item, _join_path(path, key))
            elif not self.unknown_together:
                yield Problem(_join_path(path, key), "key", key, options=self.keys)
        if unknown and self.unknown_together:
            yield Problem(path, "unknown", options=tuple(unknown))


@dataclass(frozen=True, slots=True)
class Members:
    """Type of an object in a settings file. Its known keys have various types. `closed`: no other keys are allowed."""

    members: Mapping[str, Shape]
    required: frozenset[str] = frozenset()
    closed: bool = False

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield the problems of the object, of its keys and of its values."""
        if not isinstance(value, dict):
            nothing = not path and value is None
            yield Problem(path, "words" if nothing else "type", value, "object" if not nothing else _NOTHING)
            return
        for key, shape in self.members.items():
            if key in value or key in self.required:
                yield from shape(value.get(key, ...), _join_path(path, key))
        unknown = [key for key in value if key not in self.members]
        if self.closed and unknown:
            yield Problem(path, "unknown", options=tuple(unknown))


_NOTHING = "Invalid or malformed JSON"


@dataclass(frozen=True, slots=True)
class Choice:
    """Type of a value in a settings file: one of the strings `options`. `only`: messages do not say `one of`."""

    options: tuple[str, ...]
    only: bool = False

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield a problem if the value is not one of the strings."""
        if value not in self.options:
            yield Problem(path, "option", value, options=self.options, only=self.only)


@dataclass(frozen=True, slots=True)
class MinimumInteger:
    """Type of a value in a settings file: an integer that is not less than `least`."""

    least: int = 0

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield a problem if the value is not an integer, or is less than `least`."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield Problem(path, "type", value, "number")
        elif value != int(value):
            yield Problem(path, "type", value, "int")
        elif value < self.least:
            yield Problem(path, "least", value)


@dataclass(frozen=True, slots=True)
class ObjectOr:
    """Type of a value: an object of type `shape`, or a value of `simple_types`. `message` reports any other value."""

    shape: Shape
    message: str
    simple_types: tuple[type, ...] = field(default=())

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield the problems of the object, or a problem if the value has a different type."""
        if isinstance(value, dict):
            yield from self.shape(value, path)
        elif not isinstance(value, self.simple_types):
            yield Problem(path, "words", value, self.message)


@dataclass(frozen=True, slots=True)
class Rule:
    """Type of a permission rule in a settings file. `parentheses_message`: the message about unbalanced parentheses."""

    parentheses_message: str

    def __call__(self, value: Any, path: str) -> Iterator[Problem]:
        """Yield a problem if the value is not a valid permission rule."""
        if not isinstance(value, str):
            yield Problem(path, "type", value, "string")
        elif words := self._rule_problem(value):
            yield Problem(path, "words", value, words)

    def _rule_problem(self, value: str) -> str | None:
        tool, parenthesis, pattern = value.partition("(")
        if not value.strip():
            return "Permission rule cannot be empty"
        if value.count("(") != value.count(")"):
            return self.parentheses_message
        if value == "()":
            return "Empty parentheses with no tool name. Specify a tool name before the parentheses"
        if parenthesis and pattern == ")":
            return (
                f'Empty parentheses. Either specify a pattern or use just "{tool}" without parentheses. '
                f"Examples: {tool}, {tool}(some-pattern)"
            )
        if not tool.startswith("mcp__") and tool[:1].islower():
            return f'Tool names must start with uppercase. Use "{tool[:1].upper()}{tool[1:]}"'
        return None
