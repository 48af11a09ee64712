"""Short messages about invalid JSON, as in the JavaScript engine of later versions."""

from __future__ import annotations

import re

__all__ = ["json_problem"]

_SPACES = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{4}")
_WORDS = ("true", "false", "null")
_MARKS = frozenset("{}[]:,().=;")

_END = "end"
_STRING = "string"
_VALUE = "value"
_NAME = "identifier"


class _Wrong(Exception):  # noqa: N818 - it is found, not made
    """The message about invalid JSON."""


def json_problem(text: str) -> str:
    """Return the message about a text that is not JSON."""
    try:
        _Reader(text).everything()
    except _Wrong as wrong:
        return f"JSON Parse error: {wrong}"
    raise ValueError("the text is JSON")


class _Reader:
    """Tokenizer. `kind` is the kind of the current token (for a punctuation mark, the mark itself); `word` is the
    current identifier.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.kind = ""
        self.word = ""
        self.next()

    def everything(self) -> None:
        self.value()
        if self.kind != _END:
            raise _Wrong("Unable to parse JSON string")

    def value(self) -> None:
        match self.kind:
            case "{":
                self.members()
            case "[":
                self.items()
            case "string" | "value":
                self.next()
            case "end":
                raise _Wrong("Unexpected EOF")
            case "identifier":
                raise _Wrong(f'Unexpected identifier "{self.word}"')
            case mark:
                raise _Wrong(f"Unexpected token '{mark}'")

    def members(self) -> None:
        self.next()
        if self.kind == _STRING:
            self.member()
            while self.kind == ",":
                self.next()
                if self.kind != _STRING:
                    raise _Wrong("Property name must be a string literal")
                self.member()
        self.expect("}", "Expected '}'")

    def member(self) -> None:
        self.next()
        self.expect(":", "Expected ':' before value in object property definition")
        self.value()

    def items(self) -> None:
        self.next()
        if self.kind != "]":
            self.value()
            while self.kind == ",":
                self.next()
                if self.kind == "]":
                    raise _Wrong("Unexpected comma at the end of array expression")
                self.value()
        self.expect("]", "Expected ']'")

    def expect(self, kind: str, complaint: str) -> None:
        if self.kind != kind:
            raise _Wrong(complaint)
        self.next()

    def next(self) -> None:
        """Advance to the next token."""
        spaces = _SPACES.match(self.text, self.at)
        assert spaces is not None
        self.at = spaces.end()
        character = self.text[self.at : self.at + 1]
        if not character:
            self.kind = _END
        elif character == '"':
            self.string()
        elif character in "-0123456789":
            self.number()
        elif word := next((word for word in _WORDS if self.text.startswith(word, self.at)), None):
            self.kind, self.at = _VALUE, self.at + len(word)
        elif identifier := _IDENTIFIER.match(self.text, self.at):
            self.kind, self.word, self.at = _NAME, identifier[0], identifier.end()
        elif character in _MARKS:
            self.kind, self.at = character, self.at + 1
        elif character == "'":
            raise _Wrong("Single quotes (') are not allowed in JSON")
        else:
            raise _Wrong(f"Unrecognized token '{character}'")

    def string(self) -> None:
        self.kind = _STRING
        self.at += 1
        while True:
            plain = _PLAIN.match(self.text, self.at)
            assert plain is not None
            self.at = plain.end()
            match self.text[self.at : self.at + 1]:
                case '"':
                    self.at += 1
                    return
                case "\\":
                    self.escape()
                case _:
                    raise _Wrong("Unterminated string")

    def escape(self) -> None:
        character = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if character == "u":
            digits = self.text[self.at : self.at + 4]
            if len(digits) < len("0000"):
                raise _Wrong("\\u must be followed by 4 hex digits")
            if not _HEXADECIMAL.fullmatch(digits):
                raise _Wrong(f'"\\u{digits}" is not a valid unicode escape')
            self.at += 4
        elif not character:
            raise _Wrong("Unterminated string")
        elif character not in '"\\/bfnrt':
            raise _Wrong(f"Invalid escape character {character}")

    def number(self) -> None:
        number = _NUMBER.match(self.text, self.at)
        if number is None:
            raise _Wrong("Invalid number")
        self.kind, self.at = _VALUE, number.end()
        if "." not in number[0] and self.text.startswith(".", self.at):
            raise _Wrong("Invalid digits after decimal point")
