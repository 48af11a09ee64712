"""Escape characters of a file name that could deceive its reader, such as invisible characters."""

from __future__ import annotations

import unicodedata

from readfirst.reference_impl.text.content import utf16_length

__all__ = ["escape_name"]

_MAX_UNITS, _FIRST_UNITS, _LAST_UNITS = 64, 40, 24
"""Maximum length of a name in UTF-16 code units, and the units kept at the beginning and end of a longer name."""
_LOOKALIKES = {"<": "‹", ">": "›", "`": "'"}
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories that are escaped in a name: control, format, and line and paragraph separators."""


def escape_name(name: str) -> str:
    """Return a file name that can be shown safely: invisible characters are escaped, `<`, `>` and backticks replaced by
    similar characters, and the middle of a name of more than 64 UTF-16 code units omitted.
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
    """Return how many texts from the beginning of `shown` fit into `max_units` UTF-16 code units together."""
    for number, each in enumerate(shown):
        max_units -= utf16_length(each)
        if max_units < 0:
            return number
    return len(shown)
