"""Compute the contents that a file may have after a call without harm: the requested content, and the variants that
docs/harm.md lists as "changes that are not harm".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from readfirst.harness.harm.requested_edit import NewText, Replacement, RequestedEdit
from readfirst.harness.harm.text_codec import Content, with_line_ends

Span = tuple[int, int]
"""A part of a text, as the character indexes of its start and its end."""

_STRAIGHT_BY_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def fold_quotes(text: str) -> str:
    """Return the text with straight instead of curly quotes. The length stays the same."""
    return text.translate(_STRAIGHT_BY_CURLY)


def find_spans(text: str, old: str) -> list[Span]:
    """Return the position of each occurrence of `old` in a text, from left to right, without overlaps."""
    return [match.span() for match in re.finditer(re.escape(old), text)] if old else []


def iter_matches(text: str, old: str) -> Iterator[tuple[list[Span], bool]]:
    """Search `old` in a text with up to four comparisons, from strict to loose: a comparison may ignore the difference
    between LF and CRLF, or between straight and curly quotes. Yield the spans that a comparison found, and whether it
    ignored the form of quotes. Results with the same spans as earlier results are omitted.
    """
    seen: list[list[Span]] = []
    has_quotes = not (text.isascii() and old.isascii())
    has_line_ends = "\n" in old and ("\r\n" in text or "\r\n" in old)
    for folds_quotes in (False, True)[: 1 + has_quotes]:
        for ignores_line_ends in (False, True)[: 1 + has_line_ends]:
            texts = (fold_quotes(text), fold_quotes(old)) if folds_quotes else (text, old)
            if ignores_line_ends:
                bare_text, bare_old = (part.replace("\r\n", "\n") for part in texts)
                spans = _spans_with_crlf(text, find_spans(bare_text, bare_old))
            else:
                spans = find_spans(*texts)
            if spans and spans not in seen:
                seen.append(spans)
                yield spans, folds_quotes


def _spans_with_crlf(text: str, spans_without_cr: list[Span]) -> list[Span]:
    """Convert positions in a text without CRs to the positions in the original text, which has CRLF line ends."""
    shifted_ends: dict[int, int] = {}
    position = shift = 0
    for end in sorted({end for span in spans_without_cr for end in span}):
        while (next_end := text.find("\r\n", position)) >= 0 and next_end - shift < end:
            shift += 1
            position = next_end + 2
        shifted_ends[end] = end + shift
    return [(shifted_ends[start], shifted_ends[end]) for start, end in spans_without_cr]


_MAX_VARIANTS = 64
"""Maximum number of possible texts of a file after one replacement. The next replacement is applied to each text."""
_SPACE = r"[ \t\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_SPACES_AT_ENDS = re.compile(rf"{_SPACE}(?<!{_SPACE}{_SPACE}){_SPACE}*+(?=[\r\n]|\Z)")
"""Pattern of whitespace before a line end or the end of the text. Fast, because it starts with a character class."""


@dataclass(frozen=True, slots=True)
class EditResult:
    """A text after a replacement, and the spans of the inserted texts. `curled`: their quotes may be curly."""

    text: str
    inserted: tuple[Span, ...]
    curled: bool


def is_allowed_result(before: bytes | None, edit: RequestedEdit, after: bytes, *, crlf: bool) -> bool:
    """Whether a file with the bytes `before` (None: no file) may contain `after` after the edit, without harm. If not
    `crlf`, a new file must not use CRLF line ends.
    """
    if isinstance(edit, NewText):
        return is_insertion_result(before, edit, after) or any(
            after == content for content in _written_contents(before, edit.text, crlf=crlf)
        )
    content = Content.of(before or b"")
    if content.mark and any("\ufeff" in replacement.old for replacement in edit):
        marked = Content(b"", content.encoding, f"\ufeff{content.text}")
        if _has_edited_content(marked, edit, after):
            return True
    return _has_edited_content(content, edit, after)


def is_insertion_result(before: bytes | None, edit: NewText, after: bytes) -> bool:
    """Whether `after` is the old content of a file with the requested text added at its beginning or end."""
    if not edit.inserts or not before:
        return False
    content = Content.of(before)
    return any(
        after == content.data(text)
        for new in _text_variants(content.text, edit.text)
        for text in (new + content.text, content.text + new)
    )


def _has_edited_content(content: Content, edit: Sequence[Replacement], after: bytes) -> bool:
    texts = [content.text]
    *earlier, last = edit
    for replacement in earlier:
        results = (result.text for text in texts for result in iter_edit_results(text, replacement))
        texts = list(islice(results, _MAX_VARIANTS))
    possible = (result for text in texts for result in iter_edit_results(text, last))
    return any(_is_expected_content(content, result, after) for result in possible)


def iter_edit_results(text: str, edit: Replacement) -> Iterator[EditResult]:
    """Yield the possible results of a replacement in a text, unless the old text is missing or ambiguous."""
    if not edit.old:
        if not text:
            yield EditResult(edit.new, ((0, len(edit.new)),), curled=False)
        return
    for spans, folds_quotes in iter_matches(text, edit.old):
        if len(spans) > 1 and not edit.every and edit.count != len(spans):
            # The exact text occurs several times, so a looser match cannot find a single place.
            return
        for new in _text_variants(text, edit.new):
            yield _replace_spans(text, spans, new, curled=folds_quotes)
        if not _SPACES_AT_ENDS.sub("", edit.new):
            extended_spans = [_extend_over_newline(text, span) for span in spans]
            yield _replace_spans(text, extended_spans, "", curled=folds_quotes)


def _replace_spans(text: str, spans: Sequence[Span], new: str, *, curled: bool) -> EditResult:
    parts: list[str] = []
    inserted = []
    position = length = 0
    for start, end in spans:
        parts += (text[position:start], new)
        length += start - position
        inserted.append((length, length + len(new)))
        length += len(new)
        position = end
    return EditResult("".join((*parts, text[position:])), tuple(inserted), curled)


def _text_variants(text: str, new: str) -> Iterator[str]:
    """Yield the text to insert and its harmless variants: with converted line ends, and without spaces at line ends."""
    adapted = with_line_ends(new, "\r\n") if "\n" in text and text.count("\n") == text.count("\r\n") else new
    yield adapted
    if "\n" in text and adapted != new and "\r\n" in new:
        yield new
    cut = _SPACES_AT_ENDS.sub("", adapted)
    if cut != adapted:
        yield cut


def _extend_over_newline(text: str, span: Span) -> Span:
    start, end = span
    newline = next((newline for newline in ("\r\n", "\n") if text.startswith(newline, end)), "")
    return start, end + len(newline)


def _is_expected_content(content: Content, result: EditResult, after: bytes) -> bool:
    """Whether `after` is an allowed result of an edit. Quotes in the inserted texts may have become curly."""
    if content.data(result.text) == after:
        return True
    if not result.curled:
        return False
    actual, expected = Content.of(after), result.text
    if (actual.mark, actual.encoding) != (content.mark, content.encoding) or len(actual.text) != len(
        expected
    ):
        return False
    position = 0
    for start, end in (*result.inserted, (len(expected), len(expected))):
        if actual.text[position:start] != expected[position:start]:
            return False
        if fold_quotes(actual.text[start:end]) != fold_quotes(expected[start:end]):
            return False
        position = end
    return True


def _written_contents(before: bytes | None, text: str, *, crlf: bool) -> Iterator[bytes]:
    """Yield the contents that a file may have after a Write of `text`, for example with the old file's line ends."""
    plain = Content.of(b"")
    yield plain.data(text)  # nearly every tool does this; skip the other variants
    former = Content.of(before or b"")
    line_end = "\r\n" if former.is_crlf or (not before and crlf) else "\n"
    texts = dict.fromkeys((text, text.removeprefix("\ufeff")))
    for variant in dict.fromkeys((*texts, *(_SPACES_AT_ENDS.sub("", variant) for variant in texts))):
        for encoded_text in (variant, with_line_ends(variant, line_end)):
            yield plain.data(encoded_text)
            yield former.data(encoded_text)
            yield Content(b"", former.encoding, "").data(encoded_text)
