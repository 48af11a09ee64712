"""Parse and write JSON as the product does, with its error messages and layout."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from readfirst.reference_impl.text import json_errors_v8
from readfirst.reference_impl.text.js_number import number_text

__all__ = ["JsonError", "compact_json", "indented_json", "parse_json"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_SPACES = frozenset(" \t\n\r")
_DIGITS = frozenset("0123456789")
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_NO_VALUES = frozenset({"NaN", "Infinity", "undefined"})
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_LAST_INDEX = 2**32 - 2
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTEXT = 10


class JsonError(Exception):
    """The text is not JSON; the message is the product's."""


def parse_json(text: str, *, brief: bool = False) -> Any:
    """Parse a JSON value. Raises JsonError for invalid JSON (with `brief`, the message is that of
    `json_errors_v8`), and RecursionError for JSON that is nested too deeply.

    Of duplicate keys, the last value counts. Integer keys come first, in ascending order, as in JavaScript.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object_text)
    except ValueError:
        if brief:
            raise JsonError(json_errors_v8.json_problem(text)) from None
        _Scanner(text).explain()


def compact_json(value: Any) -> str:
    """Return the value as text without any space."""
    match value:
        case dict():
            members = ",".join(f"{_string_text(key)}:{compact_json(item)}" for key, item in value.items())
            return f"{{{members}}}"
        case list():
            return f"[{','.join(map(compact_json, value))}]"
    return _scalar_text(value)


def indented_json(value: Any, *, width: int = 1, level: int = 0) -> str:
    """Return the value as text, each level indented by `width` spaces."""
    inner, outer = "\n" + " " * width * (level + 1), "\n" + " " * width * level
    match value:
        case dict() if value:
            members = [
                f"{_string_text(key)}: {indented_json(item, width=width, level=level + 1)}"
                for key, item in value.items()
            ]
            return f"{{{inner}{f',{inner}'.join(members)}{outer}}}"
        case list() if value:
            items = [indented_json(item, width=width, level=level + 1) for item in value]
            return f"[{inner}{f',{inner}'.join(items)}{outer}]"
    return compact_json(value)


def _scalar_text(value: Any) -> str:
    match value:
        case bool() | None:
            return json.dumps(value)
        case float() if math.isinf(value):
            return "null"
        case int() | float():
            return number_text(value)
    return _string_text(value)


def _string_text(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _object_text(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    numbers = sorted((key for key in value if _INDEX.fullmatch(key) and int(key) <= _LAST_INDEX), key=int)
    return {**{key: value[key] for key in numbers}, **value}


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class _Scanner:
    """Finds the first error in a text that is not JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def explain(self) -> NoReturn:
        """Raise the JsonError for the first error."""
        if self.text in _NO_VALUES:
            raise JsonError(f'"{self.text}" is not valid JSON')
        self.value()
        self.after_spaces()
        raise JsonError(f"Unexpected non-whitespace character after JSON at position {self.at}")

    def after_spaces(self) -> str:
        """Skip spaces; return the next character. Empty at the end."""
        while (character := self.text[self.at : self.at + 1]) in _SPACES:
            self.at += 1
        return character

    def value(self) -> None:
        match self.after_spaces():
            case "{":
                self.members()
            case "[":
                self.items()
            case '"':
                self.string()
            case character if character and character in "-0123456789":
                self.number()
            case _:
                self.word()

    def members(self) -> None:
        self.at += 1
        if self.after_spaces() == "}":
            self.at += 1
            return
        first = True
        while True:
            if self.after_spaces() != '"':
                self.fail(
                    "Expected property name or '}'" if first else "Expected double-quoted property name"
                )
            self.string()
            if self.after_spaces() != ":":
                if first:
                    self.fail("Expected ':' after property name")
                self.unexpected()
            self.at += 1
            self.value()
            character = self.after_spaces()
            self.at += 1
            if character == "}":
                return
            if character != ",":
                self.at -= 1
                self.fail("Expected ',' or '}' after property value")
            first = False

    def items(self) -> None:
        self.at += 1
        if self.after_spaces() == "]":
            self.at += 1
            return
        while True:
            self.value()
            character = self.after_spaces()
            self.at += 1
            if character == "]":
                return
            if character != ",":
                self.at -= 1
                self.fail("Expected ',' or ']' after array element")

    def string(self) -> None:
        self.at += 1
        while self.at < len(self.text):
            match self.text[self.at]:
                case '"':
                    self.at += 1
                    return
                case "\\":
                    self.escape()
                case character if character < " ":
                    self.fail("Bad control character in string literal")
                case _:
                    self.at += 1
        self.fail("Unterminated string")

    def escape(self) -> None:
        self.at += 1
        character = self.text[self.at : self.at + 1]
        if character == "u":
            for _ in range(4):
                self.at += 1
                if self.text[self.at : self.at + 1] not in _HEXADECIMAL:
                    self.fail("Bad Unicode escape")
        elif character == "":
            self.unexpected()
        elif character not in '"\\/bfnrt':
            self.fail("Bad escaped character")
        self.at += 1

    def number(self) -> None:
        match = _INTEGER.match(self.text, self.at)
        if match is None:
            self.at += 1
            self.fail("No number after minus sign")
        self.at = match.end()
        if match[0][-1] == "0" and self.next() in _DIGITS:
            self.unexpected()
        if self.next() == ".":
            self.at += 1
            self.digits("Unterminated fractional number")
        if self.next() in ("e", "E"):
            self.at += 1
            self.at += self.next() in ("+", "-")
            self.digits("Exponent part is missing a number")

    def digits(self, missing: str) -> None:
        if self.next() not in _DIGITS:
            self.fail(missing)
        while self.next() in _DIGITS:
            self.at += 1

    def next(self) -> str | None:
        return self.text[self.at] if self.at < len(self.text) else None

    def word(self) -> None:
        word = next((word for word in ("true", "false", "null") if word[0] == self.next()), None)
        if word is None:
            self.unexpected()
        for character in word:
            if self.next() != character:
                self.unexpected()
            self.at += 1

    def fail(self, what: str) -> NoReturn:
        raise JsonError(f"{what} in JSON at position {self.at}")

    def unexpected(self) -> NoReturn:
        if self.at >= len(self.text):
            raise JsonError("Unexpected end of JSON input")
        character = self.text[self.at]
        if character in _DIGITS or character == "-":
            self.fail("Unexpected number")
        if character == '"':
            self.fail("Unexpected string")
        raise JsonError(f"Unexpected token '{character}', {self.excerpt()} is not valid JSON")

    def excerpt(self) -> str:
        size = len(self.text)
        if size <= 2 * _CONTEXT:
            return f'"{self.text}"'
        before = "..." if self.at >= _CONTEXT else ""
        after = "..." if self.at < size - _CONTEXT else ""
        shown = self.text[max(0, self.at - _CONTEXT) : self.at + _CONTEXT]
        return f'{before}"{shown}"{after}'
