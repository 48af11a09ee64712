"""Truncate an answer that has too many characters, and name the file with the whole answer."""

from __future__ import annotations

from readfirst.reference_impl.text.js_number import size_text
from readfirst.reference_impl.text.json_text import indented_json

__all__ = ["blocks_as_json", "truncate_answer", "utf16_length"]

_PREVIEW_UNITS = 2000
_UTF_16 = "utf-16-le"


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text.encode(_UTF_16, "surrogatepass")) // 2


def blocks_as_json(text: str) -> str:
    """Return a text in the stored and measured form of answers that may have several blocks."""
    return indented_json([{"text": text, "type": "text"}], width=2)


def truncate_answer(text: str, size: int, path: str) -> str:
    """Return the beginning of an answer of `size` UTF-16 code units, which is saved at `path`.

    The beginning ends at a line end if more than half of the allowed text is kept.
    """
    beginning = text.encode(_UTF_16, "surrogatepass")[: 2 * _PREVIEW_UNITS].decode(_UTF_16, "ignore")
    end = beginning.rfind("\n")
    if end > _PREVIEW_UNITS // 2:
        beginning = beginning[:end]
    return (
        f"<persisted-output>\nOutput too large ({size_text(size)}). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{beginning}\n...\n</persisted-output>"
    )
