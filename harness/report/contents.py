"""Shorten long texts in the JSON lines of a run: write each text once, or only the part with its first difference."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from readfirst.harness.first_difference import first_difference

INLINE_CHARS = 1_000
"""Maximum characters of a text in the line of its verdict. A longer text is written in a separate *content line*."""
EXCERPT_CHARS = 2_048
"""Maximum characters of the text in a content line. If a text is longer, the line contains only an excerpt."""
_CONTEXT_CHARS = 500
"""Number of characters in an excerpt of a long text before the first difference of the expected and the actual text."""

TextOrReference = str | dict[str, Any]
"""A text in a JSON line: a string, or for a long text an object with the `sha256` of an earlier content line. If that
line contains an excerpt, `from` is the index of its first character.
"""


@dataclass(slots=True)
class ContentWriter:
    """Replaces each long text by a reference to a separate JSON line (content line), one for each distinct text."""

    _written_keys: set[tuple[str, int]] = field(default_factory=set)

    def reference(
        self, texts: tuple[str, str]
    ) -> tuple[tuple[TextOrReference, TextOrReference], list[dict[str, Any]]]:
        """Return an expected and an actual text as JSON values, and the lines with long texts to write before them."""
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
    """Collects content lines (JSON lines with a long text), and returns the text for a reference to such a line."""

    _texts: dict[tuple[str, int], str] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> str:
        """Add a content line. Return an error if its text contradicts its digest or length, else an empty text."""
        start, text = line.get("from", 0), line["text"]
        omitted_chars = line["characters"] - start - len(text)
        if omitted_chars < 0 or (not start and not omitted_chars and digest_of(text) != line["sha256"]):
            return "this content does not have the digest and the length that its line says"
        before = f"[{start:,} characters that both have]\n" if start else ""
        after = f"\n[{omitted_chars:,} characters more]" if omitted_chars else ""
        self._texts[line["sha256"], start] = f"{before}{text}{after}"
        return ""

    def text(self, written: TextOrReference) -> str:
        """Return `written` or, for a reference, the text that it refers to. Raises KeyError if this text is missing."""
        return written if isinstance(written, str) else self._texts[written["sha256"], written.get("from", 0)]
