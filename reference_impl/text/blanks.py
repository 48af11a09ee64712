"""Blanks: which characters count as white space; Python has other ideas of that."""

from __future__ import annotations

import re

from readfirst.reference_impl.contract import Behaviours

__all__ = ["BLANKS", "are_blanks_cut", "without_trailing_blanks"]

BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LINE_ENDS = re.compile(r"(\r\n|\n|\r)")


def are_blanks_cut(behaviours: Behaviours, file_path: str) -> bool:
    """Tell whether blanks at the ends of lines are cut in what is inserted into a file."""
    markdown = file_path.lower().endswith((".md", ".mdx"))
    return behaviours.trailing_blanks_are_cut and not (markdown and behaviours.markdown_keeps_blanks)


def without_trailing_blanks(text: str) -> str:
    """Return the text with the blanks before each line's end taken away; the line ends stay as they are."""
    parts = _LINE_ENDS.split(text)
    parts[::2] = [line.rstrip(BLANKS) for line in parts[::2]]
    return "".join(parts)
