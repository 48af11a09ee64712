"""Numbered lines, as the model sees a file: the number of each line in front of it."""

from __future__ import annotations

from collections.abc import Sequence

from readfirst.reference_impl.text.numbers import shown

__all__ = ["lines_of", "numbered", "numbered_lines"]


def lines_of(text: str) -> list[str]:
    """Split at `\\n` and `\\r\\n`; a final line end makes a last, empty line. A lone `\\r` does not split."""
    return text.replace("\r\n", "\n").split("\n")


def numbered(text: str, prefix: str, first: float = 1) -> str:
    """Return the text's lines with their numbers, counted from `first`; nothing for an empty text."""
    return numbered_lines(lines_of(text), prefix, first) if text else ""


def numbered_lines(lines: Sequence[str], prefix: str, first: float) -> str:
    """Return lines with their numbers; `prefix` is the format of what stands before each, for example `{:>6}→`."""
    return "\n".join(prefix.format(shown(first + n)) + line for n, line in enumerate(lines))
