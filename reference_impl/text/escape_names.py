"""Escape deceptive characters in a name."""

from __future__ import annotations

import unicodedata

__all__ = ["escape_name"]

_LONGEST, _FIRST, _LAST = 64, 40, 24
"""Lengths in UTF-16 code units: of a name that is shown in full, and of both ends of a longer one."""
_LOOKALIKES = {"<": "‹", ">": "›", "`": "'"}
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of controls, formats, and separators of lines and paragraphs."""


def escape_name(name: str) -> str:
    """Return a name without invisible characters, spaces at its ends, or quotes.

    A name of more than 64 UTF-16 code units is reduced to its beginning and its end.
    """
    inner = range(len(name) - len(name.lstrip()), len(name.rstrip()))
    shown = [
        _escape_character(character) if number in inner else _escape_code_point(character)
        for number, character in enumerate(name)
    ]
    if sum(map(_code_units, shown)) <= _LONGEST:
        return "".join(shown)
    first, last = _count_fitting(shown, _FIRST), _count_fitting(shown[::-1], _LAST)
    left_out = _code_units(name[first : len(name) - last])
    counted = "1 char" if left_out == 1 else f"{left_out} chars"
    return f"{''.join(shown[:first])}… [+{counted}] …{''.join(shown[len(shown) - last :])}"


def _escape_character(character: str) -> str:
    if unicodedata.category(character) in _UNSEEN:
        return _escape_code_point(character)
    return _LOOKALIKES.get(character, character)


def _escape_code_point(character: str) -> str:
    return f"\\u{{{ord(character):X}}}"


def _count_fitting(shown: list[str], room: int) -> int:
    """Return the number of first items of `shown` that together have at most `room` UTF-16 code units."""
    for number, each in enumerate(shown):
        room -= _code_units(each)
        if room < 0:
            return number
    return len(shown)


def _code_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
