"""Shorten long texts in the JSON lines of a run: each text is written only once, and only the part of a very long text
around its first difference is written.
"""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from readfirst.harness.first_difference import first_difference

INLINE_CHARS = 1_000
"""Maximum characters of a text that is written in the line of its verdict. A longer text is written in a separate line,
its *content line*.
"""
EXCERPT_CHARS = 2_048
"""Maximum characters of the text in a content line. If a text is longer, the line contains only an excerpt."""
_CONTEXT_CHARS = 500
"""Number of characters before the first difference that an excerpt of a long text contains."""

TextOrReference = str | dict[str, Any]
"""A text in a JSON line. A short text is a string. A long text is an object with the digest (`sha256`) of the text in
an earlier content line. If this content line contains only an excerpt, the object also contains the index of the
excerpt's first character (`from`).
"""


@dataclass(slots=True)
class ContentWriter:
    """Replaces the long texts of differences by references to content lines, and writes each content line only once.
    Used to write the JSON lines of a run.
    """

    _written_keys: set[tuple[str, int]] = field(default_factory=set)

    def reference(
        self, texts: tuple[str, str]
    ) -> tuple[tuple[TextOrReference, TextOrReference], list[dict[str, Any]]]:
        """Return the JSON values that stand for an expected and an actual text, and the content lines to write before
        them.
        """
        start = 0
        if max(map(len, texts)) > EXCERPT_CHARS:
            start = max((first_difference(*texts) or 0) - _CONTEXT_CHARS, 0)
        lines: list[dict[str, Any]] = []
        expected, actual = (self._write_reference(text, start, lines) for text in texts)
        return (expected, actual), lines

    def _write_reference(self, text: str, start: int, lines: list[dict[str, Any]]) -> TextOrReference:
        if len(text) <= INLINE_CHARS:
            return text
        digest = digest_of(text)
        if (digest, start) not in self._written_keys:
            self._written_keys.add((digest, start))
            line = {"type": "content", "sha256": digest, "characters": len(text)}
            line |= {"from": start} if start else {}
            lines.append({**line, "text": text[start : start + EXCERPT_CHARS]})
        return {"sha256": digest, "from": start} if start else {"sha256": digest}


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal. Lone surrogates are encoded as they are."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class ContentReader:
    """Collects the content lines of a file of JSON lines, and returns the text for a reference to a content line."""

    _texts: dict[tuple[str, int], str] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> str:
        """Add one content line. Return an error message if its text contradicts its digest or length. Otherwise, return
        an empty text.
        """
        start, text = line.get("from", 0), line["text"]
        omitted_chars = line["characters"] - start - len(text)
        if omitted_chars < 0 or (not start and not omitted_chars and digest_of(text) != line["sha256"]):
            return "this content does not have the digest and the length that its line says"
        before = f"[{start:,} characters that both have]\n" if start else ""
        after = f"\n[{omitted_chars:,} characters more]" if omitted_chars else ""
        self._texts[line["sha256"], start] = f"{before}{text}{after}"
        return ""

    def text(self, written: TextOrReference) -> str:
        """Return a text that is written in a line, or the text of the content line that the line refers to. Raises
        KeyError if this content line was not added.
        """
        return written if isinstance(written, str) else self._texts[written["sha256"], written.get("from", 0)]
