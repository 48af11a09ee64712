"""Escape deceptive characters in a name."""

from __future__ import annotations

import unicodedata

__all__ = ["marked"]

_LONGEST, _FIRST, _LAST = 64, 40, 24
"""Lengths in UTF-16 code units: of a name that is shown in full, and of both ends of a longer one."""
_LOOKALIKES = {"<": "‹", ">": "›", "`": "'"}
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of controls, formats, and separators of lines and paragraphs."""


def marked(name: str) -> str:
    """Return a name without invisible characters, spaces at its ends, or quotes.

    A long name is reduced to both ends.
    """
    inner = range(len(name) - len(name.lstrip()), len(name.rstrip()))
    shown = [
        _shown(character) if number in inner else _numbered(character)
        for number, character in enumerate(name)
    ]
    if sum(map(_units, shown)) <= _LONGEST:
        return "".join(shown)
    first, last = _fitting(shown, _FIRST), _fitting(shown[::-1], _LAST)
    left_out = _units(name[first : len(name) - last])
    counted = "1 char" if left_out == 1 else f"{left_out} chars"
    return f"{''.join(shown[:first])}… [+{counted}] …{''.join(shown[len(shown) - last :])}"


def _shown(character: str) -> str:
    if unicodedata.category(character) in _UNSEEN:
        return _numbered(character)
    return _LOOKALIKES.get(character, character)


def _numbered(character: str) -> str:
    return f"\\u{{{ord(character):X}}}"


def _fitting(shown: list[str], room: int) -> int:
    """Return how many of the first items fit into a number of code units."""
    for number, each in enumerate(shown):
        room -= _units(each)
        if room < 0:
            return number
    return len(shown)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
