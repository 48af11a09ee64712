"""Contents of a result stream: long texts are written once, and texts of many kilobytes only where they differ."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from readfirst.harness.first_difference import first_difference

INLINE_CHARS = 1_000
"""The longest text that a difference contains itself."""
EXCERPT_CHARS = 16_384
"""The longest text that is written in full, and the length of the excerpt of a longer one."""
_COMMON_CHARS = 2_000
"""Characters of an excerpt before the first difference."""

Written = str | dict[str, Any]
"""A text in a line: the text itself, or the digest of a content line before it and the start of the excerpt."""


@dataclass(slots=True)
class ContentWriter:
    """Replaces long texts of differences by references to content lines, each of which is written once."""

    _written: set[tuple[str, int]] = field(default_factory=set)

    def reference(self, texts: tuple[str, str]) -> tuple[tuple[Written, Written], list[dict[str, Any]]]:
        """Return the expected and the actual text as a line has them, and the content lines to write before it."""
        start = 0
        if max(map(len, texts)) > EXCERPT_CHARS:
            start = max((first_difference(*texts) or 0) - _COMMON_CHARS, 0)
        lines: list[dict[str, Any]] = []
        expected, actual = (self._reference(text, start, lines) for text in texts)
        return (expected, actual), lines

    def _reference(self, text: str, start: int, lines: list[dict[str, Any]]) -> Written:
        if len(text) <= INLINE_CHARS:
            return text
        digest = digest_of(text)
        if (digest, start) not in self._written:
            self._written.add((digest, start))
            line = {"type": "content", "sha256": digest, "characters": len(text)}
            line |= {"from": start} if start else {}
            lines.append({**line, "text": text[start : start + EXCERPT_CHARS]})
        return {"sha256": digest, "from": start} if start else {"sha256": digest}


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal; lone surrogates are encoded as they are."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class ContentReader:
    """Collects the content lines of a stream, and returns the texts that refer to them."""

    _texts: dict[tuple[str, int], str] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> str:
        """Take one content line. Return what is wrong with it; empty if nothing is."""
        start, text = line.get("from", 0), line["text"]
        rest = line["characters"] - start - len(text)
        if rest < 0 or (not start and not rest and digest_of(text) != line["sha256"]):
            return "this content does not have the digest and the length that its line says"
        before = f"[{start:,} characters that both have]\n" if start else ""
        after = f"\n[{rest:,} characters more]" if rest else ""
        self._texts[line["sha256"], start] = f"{before}{text}{after}"
        return ""

    def text(self, written: Written) -> str:
        """Return the text of a line. Raises KeyError if no content line before it has the text."""
        return written if isinstance(written, str) else self._texts[written["sha256"], written.get("from", 0)]
