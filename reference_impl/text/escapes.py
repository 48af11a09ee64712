"""Escapes: `\\uXXXX` in what a model writes where it meant the character, and the other way round."""

from __future__ import annotations

import re
import unicodedata

from readfirst.reference_impl.contract import Behaviours

__all__ = ["has_two_spellings", "spelt_with_escapes", "with_characters", "with_escapes", "without_escapes"]

_UNIT = r"\\u([0-9a-fA-F]{4})"
_HALVES = r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_ESCAPE = re.compile(rf"{_HALVES}|{_UNIT}")
_ESCAPE_OR_BACKSLASH = re.compile(rf"\\\\|{_HALVES}|{_UNIT}")
_DRIVE = re.compile(r"[A-Za-z]:\\")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def without_escapes(text: str, behaviours: Behaviours) -> str:
    """Return the text with the character for every escape of one.

    An escape stays where its backslash is escaped itself, and where it stands for half of a surrogate pair.
    """
    if behaviours.windows_paths_are_spared and _DRIVE.search(text):
        return text
    return _ESCAPE_OR_BACKSLASH.sub(lambda match: _character(match, behaviours), text)


def has_two_spellings(text: str) -> bool:
    """Tell whether a text has an escape, or a character that could be one."""
    return bool(_BEYOND_ASCII.search(text) or _ESCAPE.search(text))


def _character(match: re.Match[str], behaviours: Behaviours) -> str:
    units = "".join(group or "" for group in match.groups())
    if not units:
        return match[0]
    character = bytes.fromhex(units).decode("utf-16-be", "surrogatepass")
    kept = ("Cc", "Cs") if behaviours.control_escapes_are_kept else ("Cs",)
    return match[0] if unicodedata.category(character) in kept else character


def with_characters(text: str, behaviours: Behaviours) -> str:
    """Return the text with the character for every escape of one, escaped backslash or not."""
    return _ESCAPE.sub(lambda match: _character(match, behaviours), text)


def with_escapes(text: str, *, large: bool = False) -> str:
    """Return the text with the escape for every character beyond ASCII, its hexadecimal digits small or large."""
    return _BEYOND_ASCII.sub(lambda match: _escaped(match[0], large), text)


def spelt_with_escapes(text: str, content: str) -> str | None:
    """Return the first place in the content that says the text with escapes, whatever the case of their digits."""
    pattern = "".join(
        re.escape(character) if character.isascii() else _escape_pattern(character) for character in text
    )
    found = re.search(pattern, content)
    return found[0] if found else None


def _escape_pattern(character: str) -> str:
    return "".join(rf"\\u(?i:{unit})" for unit in _units(character))


def _escaped(character: str, large: bool) -> str:
    return "".join(f"\\u{unit.upper() if large else unit}" for unit in _units(character))


def _units(character: str) -> list[str]:
    digits = character.encode("utf-16-be", "surrogatepass").hex()
    return [digits[at : at + 4] for at in range(0, len(digits), 4)]
