"""Outer blanks: those at both ends of an answer, which some hosts cut before a reminder of their own."""

from __future__ import annotations

_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The white space and line ends of JavaScript, which the product cuts."""


def without_outer_blanks(text: str) -> str:
    """Return the text without the blanks at both ends."""
    return text.strip(_BLANKS)
