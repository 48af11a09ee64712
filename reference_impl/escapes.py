"""Escapes: `\\uXXXX` in what a model writes where it meant the character, and the other way round."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

__all__ = ["SPELLINGS", "has_two_spellings", "without_escapes"]

_UNIT = r"\\u([0-9a-f]{4})"
_HALVES = r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})"
_ESCAPE = re.compile(rf"{_HALVES}|{_UNIT}", re.IGNORECASE)
_ESCAPE_OR_BACKSLASH = re.compile(rf"\\\\|{_HALVES}|{_UNIT}", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:\\")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def without_escapes(text: str, *, windows: bool) -> str:
    """Return the text with the character for every escape of one.

    An escape stays where its backslash is escaped itself, and where it stands for a control character or for half of
    a surrogate pair. `windows`: a text with a path of Windows in it stays as it is.
    """
    return text if windows and _DRIVE.search(text) else _ESCAPE_OR_BACKSLASH.sub(_character, text)


def has_two_spellings(text: str) -> bool:
    """Tell whether a text has an escape, or a character that could be one."""
    return bool(_BEYOND_ASCII.search(text) or _ESCAPE.search(text))


def _character(match: re.Match[str]) -> str:
    units = "".join(group or "" for group in match.groups())
    if not units:
        return match[0]
    character = bytes.fromhex(units).decode("utf-16-be", "surrogatepass")
    return match[0] if unicodedata.category(character) in ("Cc", "Cs") else character


def _with_characters(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _with_escapes(text: str) -> str:
    return _BEYOND_ASCII.sub(lambda match: _escaped(match[0]), text)


def _with_large_escapes(text: str) -> str:
    return _BEYOND_ASCII.sub(lambda match: _escaped(match[0]).upper().replace("U", "u"), text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


SPELLINGS: tuple[Callable[[str], str], ...] = (_with_characters, _with_escapes, _with_large_escapes)
"""The ways to spell a text otherwise, in the order in which they are tried."""
