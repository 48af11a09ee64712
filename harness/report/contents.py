"""Write each long text in JSON lines once, and of a very long text only the part around its difference."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from readfirst.harness.first_difference import first_difference

INLINE_CHARS = 1_000
"""Maximum characters of a text that is written inside a difference. Longer texts have a separate content line."""
EXCERPT_CHARS = 2_048
"""Maximum characters of the text in a content line. Of a longer text, only an excerpt is written."""
_CONTEXT_CHARS = 500
"""Characters of an excerpt before the first difference."""

TextOrReference = str | dict[str, Any]
"""A text in a JSON line: a short text, or an object with the digest (`sha256`) of the text in an earlier content line.
If the content line contains only an excerpt, the object also contains the index of its first character (`from`).
"""


@dataclass(slots=True)
class ContentWriter:
    """Replaces long texts of differences by references to content lines. Does not repeat a content line."""

    _written_keys: set[tuple[str, int]] = field(default_factory=set)

    def reference(
        self, texts: tuple[str, str]
    ) -> tuple[tuple[TextOrReference, TextOrReference], list[dict[str, Any]]]:
        """Return the values of an expected and an actual text for a JSON line, and content lines to write before it."""
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
    """Collects content lines, and resolves references to them."""

    _texts: dict[tuple[str, int], str] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> str:
        """Add one content line. Return a message if its text contradicts its digest or length, otherwise ""."""
        start, text = line.get("from", 0), line["text"]
        omitted_chars = line["characters"] - start - len(text)
        if omitted_chars < 0 or (not start and not omitted_chars and digest_of(text) != line["sha256"]):
            return "this content does not have the digest and the length that its line says"
        before = f"[{start:,} characters that both have]\n" if start else ""
        after = f"\n[{omitted_chars:,} characters more]" if omitted_chars else ""
        self._texts[line["sha256"], start] = f"{before}{text}{after}"
        return ""

    def text(self, written: TextOrReference) -> str:
        """Return the text that a line contains or refers to. Raises KeyError for a content line that was not added."""
        return written if isinstance(written, str) else self._texts[written["sha256"], written.get("from", 0)]
