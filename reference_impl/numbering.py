"""Numbered lines, as the model sees a file: the number right-aligned to six columns, an arrow, the line."""

from __future__ import annotations

from reference_impl.numbers import shown

__all__ = ["lines_of", "numbered"]

_WIDTH = 6


def lines_of(text: str) -> list[str]:
    """Split at `\\n` and `\\r\\n`; a final line end makes a last, empty line. A lone `\\r` does not split."""
    return text.replace("\r\n", "\n").split("\n")


def numbered(text: str, first: float = 1) -> str:
    """Return the text's lines with their numbers, counted from `first`; nothing for an empty text."""
    if text == "":
        return ""
    return "\n".join(f"{shown(first + n):>{_WIDTH}}→{line}" for n, line in enumerate(lines_of(text)))
