"""Escape characters of a name that could deceive its reader."""

from __future__ import annotations

import unicodedata

from readfirst.reference_impl.text.content import utf16_length

__all__ = ["escape_name"]

_MAX_UNITS, _FIRST_UNITS, _LAST_UNITS = 64, 40, 24
"""Lengths in UTF-16 code units: the maximum length of a name that is shown in full, and the lengths of both ends of a
longer name.
"""
_LOOKALIKES = {"<": "‹", ">": "›", "`": "'"}
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of control and format characters, and of line and paragraph separators."""


def escape_name(name: str) -> str:
    """Return a name with invisible characters, and spaces at its ends, as escapes, and with similar characters instead
    of `<`, `>` and backticks.

    A name of more than 64 UTF-16 code units is reduced to its beginning and its end.
    """
    inner = range(len(name) - len(name.lstrip()), len(name.rstrip()))
    shown = [
        _escape_character(character) if number in inner else _escape_code_point(character)
        for number, character in enumerate(name)
    ]
    if sum(map(utf16_length, shown)) <= _MAX_UNITS:
        return "".join(shown)
    first, last = _count_fitting(shown, _FIRST_UNITS), _count_fitting(shown[::-1], _LAST_UNITS)
    left_out = utf16_length(name[first : len(name) - last])
    counted = "1 char" if left_out == 1 else f"{left_out} chars"
    return f"{''.join(shown[:first])}… [+{counted}] …{''.join(shown[len(shown) - last :])}"


def _escape_character(character: str) -> str:
    if unicodedata.category(character) in _INVISIBLE_CATEGORIES:
        return _escape_code_point(character)
    return _LOOKALIKES.get(character, character)


def _escape_code_point(character: str) -> str:
    return f"\\u{{{ord(character):X}}}"


def _count_fitting(shown: list[str], max_units: int) -> int:
    """Return how many of the first items of `shown` together have at most `max_units` UTF-16 code units."""
    for number, each in enumerate(shown):
        max_units -= utf16_length(each)
        if max_units < 0:
            return number
    return len(shown)
