"""Truncate an answer that has too many characters, and name the file with the whole answer."""

from __future__ import annotations

from readfirst.reference_impl.text.js_number import rounded_size
from readfirst.reference_impl.text.json_text import indented_json

__all__ = ["announce_truncation", "in_blocks", "utf16_length"]

_SHOWN = 2000
_UTF_16 = "utf-16-le"


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text.encode(_UTF_16, "surrogatepass")) // 2


def in_blocks(text: str) -> str:
    """Return a text in the stored and measured form of answers that may have several blocks."""
    return indented_json([{"text": text, "type": "text"}], width=2)


def announce_truncation(text: str, size: int, path: str) -> str:
    """Return the beginning of an answer of `size` UTF-16 code units, which is saved at `path`.

    The beginning ends at a line end if more than half of the allowed text is kept.
    """
    beginning = text.encode(_UTF_16, "surrogatepass")[: 2 * _SHOWN].decode(_UTF_16, "ignore")
    end = beginning.rfind("\n")
    if end > _SHOWN // 2:
        beginning = beginning[:end]
    return (
        f"<persisted-output>\nOutput too large ({rounded_size(size)}). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{beginning}\n...\n</persisted-output>"
    )
