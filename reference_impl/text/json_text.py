"""Parse and write JSON in the same way as the product, with the same error messages and layout."""

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
_NON_JSON_LITERALS = frozenset({"NaN", "Infinity", "undefined"})
_ARRAY_INDEX_PATTERN = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_ARRAY_INDEX = 2**32 - 2
_SURROGATE = re.compile("[\ud800-\udfff]")
_EXCERPT_CHARS = 10
"""Number of characters that an error message quotes before the error, and after it."""


class JsonError(Exception):
    """Raised if a text is not JSON. The message is the error message of the product."""


def parse_json(text: str, *, brief: bool = False) -> Any:
    """Return the value of a JSON text. Integer keys come first, as in JavaScript. Raises JsonError, and RecursionError
    for JSON that is nested too deeply. `brief`: use the short error messages of `json_errors_v8`.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_ordered_object)
    except ValueError:
        if brief:
            raise JsonError(json_errors_v8.json_problem(text)) from None
        _Scanner(text).explain()


def compact_json(value: Any) -> str:
    """Return a value as JSON without spaces between its parts."""
    match value:
        case dict():
            members = ",".join(f"{_string_text(key)}:{compact_json(item)}" for key, item in value.items())
            return f"{{{members}}}"
        case list():
            return f"[{','.join(map(compact_json, value))}]"
    return _scalar_text(value)


def indented_json(value: Any, *, width: int = 1, level: int = 0) -> str:
    """Return a value as JSON on several lines, indented by `width` spaces per level. `level`: the level of `value`."""
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


def _ordered_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    numbers = sorted(
        (key for key in value if _ARRAY_INDEX_PATTERN.fullmatch(key) and int(key) <= _MAX_ARRAY_INDEX),
        key=int,
    )
    return {**{key: value[key] for key in numbers}, **value}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class _Scanner:
    """JSON parser that is used only to find the first error in a text that is not JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def explain(self) -> NoReturn:
        """Find the first error in the text, and raise JsonError with its message."""
        if self.text in _NON_JSON_LITERALS:
            raise JsonError(f'"{self.text}" is not valid JSON')
        self.scan_value()
        self.skip_spaces()
        raise JsonError(f"Unexpected non-whitespace character after JSON at position {self.position}")

    def skip_spaces(self) -> str:
        """Skip spaces, and return the next character. Empty at the end of the text."""
        while (character := self.text[self.position : self.position + 1]) in _SPACES:
            self.position += 1
        return character

    def scan_value(self) -> None:
        match self.skip_spaces():
            case "{":
                self.scan_members()
            case "[":
                self.scan_items()
            case '"':
                self.scan_string()
            case character if character and character in "-0123456789":
                self.scan_number()
            case _:
                self.scan_word()

    def scan_members(self) -> None:
        self.position += 1
        if self.skip_spaces() == "}":
            self.position += 1
            return
        first = True
        while True:
            if self.skip_spaces() != '"':
                self.fail_at_position(
                    "Expected property name or '}'" if first else "Expected double-quoted property name"
                )
            self.scan_string()
            if self.skip_spaces() != ":":
                if first:
                    self.fail_at_position("Expected ':' after property name")
                self.fail_unexpected()
            self.position += 1
            self.scan_value()
            character = self.skip_spaces()
            if character not in ("}", ","):
                self.fail_at_position("Expected ',' or '}' after property value")
            self.position += 1
            if character == "}":
                return
            first = False

    def scan_items(self) -> None:
        self.position += 1
        if self.skip_spaces() == "]":
            self.position += 1
            return
        while True:
            self.scan_value()
            character = self.skip_spaces()
            if character not in ("]", ","):
                self.fail_at_position("Expected ',' or ']' after array element")
            self.position += 1
            if character == "]":
                return

    def scan_string(self) -> None:
        self.position += 1
        while self.position < len(self.text):
            match self.text[self.position]:
                case '"':
                    self.position += 1
                    return
                case "\\":
                    self.scan_escape()
                case character if character < " ":
                    self.fail_at_position("Bad control character in string literal")
                case _:
                    self.position += 1
        self.fail_at_position("Unterminated string")

    def scan_escape(self) -> None:
        self.position += 1
        character = self.text[self.position : self.position + 1]
        if character == "u":
            for _ in range(4):
                self.position += 1
                if self.text[self.position : self.position + 1] not in _HEXADECIMAL:
                    self.fail_at_position("Bad Unicode escape")
        elif character == "":
            self.fail_unexpected()
        elif character not in '"\\/bfnrt':
            self.fail_at_position("Bad escaped character")
        self.position += 1

    def scan_number(self) -> None:
        match = _INTEGER.match(self.text, self.position)
        if match is None:
            self.position += 1
            self.fail_at_position("No number after minus sign")
        self.position = match.end()
        if match[0][-1] == "0" and self.next_character() in _DIGITS:
            self.fail_unexpected()
        if self.next_character() == ".":
            self.position += 1
            self.scan_digits("Unterminated fractional number")
        if self.next_character() in ("e", "E"):
            self.position += 1
            self.position += self.next_character() in ("+", "-")
            self.scan_digits("Exponent part is missing a number")

    def scan_digits(self, message: str) -> None:
        if self.next_character() not in _DIGITS:
            self.fail_at_position(message)
        while self.next_character() in _DIGITS:
            self.position += 1

    def next_character(self) -> str | None:
        return self.text[self.position] if self.position < len(self.text) else None

    def scan_word(self) -> None:
        word = next((word for word in ("true", "false", "null") if word[0] == self.next_character()), None)
        if word is None:
            self.fail_unexpected()
        for character in word:
            if self.next_character() != character:
                self.fail_unexpected()
            self.position += 1

    def fail_at_position(self, message: str) -> NoReturn:
        raise JsonError(f"{message} in JSON at position {self.position}")

    def fail_unexpected(self) -> NoReturn:
        if self.position >= len(self.text):
            raise JsonError("Unexpected end of JSON input")
        character = self.text[self.position]
        if character in _DIGITS or character == "-":
            self.fail_at_position("Unexpected number")
        if character == '"':
            self.fail_at_position("Unexpected string")
        raise JsonError(f"Unexpected token '{character}', {self.excerpt()} is not valid JSON")

    def excerpt(self) -> str:
        size = len(self.text)
        if size <= 2 * _EXCERPT_CHARS:
            return f'"{self.text}"'
        before = "..." if self.position >= _EXCERPT_CHARS else ""
        after = "..." if self.position < size - _EXCERPT_CHARS else ""
        shown = self.text[max(0, self.position - _EXCERPT_CHARS) : self.position + _EXCERPT_CHARS]
        return f'{before}"{shown}"{after}'
