"""Create the short error messages about invalid JSON of V8, the JavaScript engine of later versions."""

from __future__ import annotations

import re

__all__ = ["json_problem"]

_SPACES = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN_CHARACTERS = re.compile(r'[^"\\\x00-\x1f]*')
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{4}")
_LITERALS = ("true", "false", "null")
_MARKS = frozenset("{}[]:,().=;")

_END = "end"
_STRING = "string"
_VALUE = "value"
_NAME = "identifier"


class _InvalidJsonError(Exception):
    """Raised if a text is not JSON."""


def json_problem(text: str) -> str:
    """Return the short error message about a text that is not JSON. Raises ValueError if the text is JSON."""
    try:
        _Reader(text).scan_text()
    except _InvalidJsonError as error:
        return f"JSON Parse error: {error}"
    raise ValueError("the text is JSON")


class _Reader:
    """JSON parser that finds the first error in a text. `kind` is the kind of the current token: `string` or `,`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.kind = ""
        self.identifier = ""
        self.next_token()

    def scan_text(self) -> None:
        self.scan_value()
        if self.kind != _END:
            raise _InvalidJsonError("Unable to parse JSON string")

    def scan_value(self) -> None:
        match self.kind:
            case "{":
                self.scan_members()
            case "[":
                self.scan_items()
            case "string" | "value":
                self.next_token()
            case "end":
                raise _InvalidJsonError("Unexpected EOF")
            case "identifier":
                raise _InvalidJsonError(f'Unexpected identifier "{self.identifier}"')
            case mark:
                raise _InvalidJsonError(f"Unexpected token '{mark}'")

    def scan_members(self) -> None:
        self.next_token()
        if self.kind == _STRING:
            self.scan_member()
            while self.kind == ",":
                self.next_token()
                if self.kind != _STRING:
                    raise _InvalidJsonError("Property name must be a string literal")
                self.scan_member()
        self.expect_token("}", "Expected '}'")

    def scan_member(self) -> None:
        self.next_token()
        self.expect_token(":", "Expected ':' before value in object property definition")
        self.scan_value()

    def scan_items(self) -> None:
        self.next_token()
        if self.kind != "]":
            self.scan_value()
            while self.kind == ",":
                self.next_token()
                if self.kind == "]":
                    raise _InvalidJsonError("Unexpected comma at the end of array expression")
                self.scan_value()
        self.expect_token("]", "Expected ']'")

    def expect_token(self, kind: str, message: str) -> None:
        if self.kind != kind:
            raise _InvalidJsonError(message)
        self.next_token()

    def next_token(self) -> None:
        """Read the next token of the text, and store its kind in `kind`."""
        spaces = _SPACES.match(self.text, self.position)
        assert spaces is not None
        self.position = spaces.end()
        character = self.text[self.position : self.position + 1]
        if not character:
            self.kind = _END
        elif character == '"':
            self.scan_string()
        elif character in "-0123456789":
            self.scan_number()
        elif word := next((word for word in _LITERALS if self.text.startswith(word, self.position)), None):
            self.kind, self.position = _VALUE, self.position + len(word)
        elif identifier := _IDENTIFIER.match(self.text, self.position):
            self.kind, self.identifier, self.position = _NAME, identifier[0], identifier.end()
        elif character in _MARKS:
            self.kind, self.position = character, self.position + 1
        elif character == "'":
            raise _InvalidJsonError("Single quotes (') are not allowed in JSON")
        else:
            raise _InvalidJsonError(f"Unrecognized token '{character}'")

    def scan_string(self) -> None:
        self.kind = _STRING
        self.position += 1
        while True:
            plain = _PLAIN_CHARACTERS.match(self.text, self.position)
            assert plain is not None
            self.position = plain.end()
            match self.text[self.position : self.position + 1]:
                case '"':
                    self.position += 1
                    return
                case "\\":
                    self.scan_escape()
                case _:
                    raise _InvalidJsonError("Unterminated string")

    def scan_escape(self) -> None:
        character = self.text[self.position + 1 : self.position + 2]
        self.position += 2
        if character == "u":
            digits = self.text[self.position : self.position + 4]
            if len(digits) < len("0000"):
                raise _InvalidJsonError("\\u must be followed by 4 hex digits")
            if not _HEXADECIMAL.fullmatch(digits):
                raise _InvalidJsonError(f'"\\u{digits}" is not a valid unicode escape')
            self.position += 4
        elif not character:
            raise _InvalidJsonError("Unterminated string")
        elif character not in '"\\/bfnrt':
            raise _InvalidJsonError(f"Invalid escape character {character}")

    def scan_number(self) -> None:
        number = _NUMBER.match(self.text, self.position)
        if number is None:
            raise _InvalidJsonError("Invalid number")
        self.kind, self.position = _VALUE, number.end()
        if "." not in number[0] and self.text.startswith(".", self.position):
            raise _InvalidJsonError("Invalid digits after decimal point")
