"""Quotes: straight ones and curly ones."""

from __future__ import annotations

__all__ = ["curled", "straight"]

_PAIRS = (('"', "“", "”"), ("'", "‘", "’"))
_STRAIGHT = str.maketrans({curly: plain for plain, *both in _PAIRS for curly in both})
_BEFORE_AN_OPENING = " \t\n\r([{—–"


def straight(text: str) -> str:
    """Return the text with straight quotes for curly ones."""
    return text.translate(_STRAIGHT)


def curled(text: str, *, like: str) -> str:
    """Return the text with curly quotes for the straight ones of each kind that is curly in `like`.

    A quote opens at the beginning, after a blank, an opening bracket or a dash; otherwise it closes.
    """
    for plain, opening, closing in _PAIRS:
        if opening in like or closing in like:
            text = "".join(
                (closing if at and text[at - 1] not in _BEFORE_AN_OPENING else opening)
                if each == plain
                else each
                for at, each in enumerate(text)
            )
    return text
