"""Compute the allowed contents of a file after a call: the requested content, and the variants of conventions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from readfirst.harness.harm.requested_edit import Replacement, Written
from readfirst.harness.harm.text_codec import Content, with_line_ends

Place = tuple[int, int]
"""Start and end of a part of a text, as character indexes."""

_STRAIGHT_BY_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def fold_quotes(text: str) -> str:
    """Return the text with straight quotes instead of curly quotes. The length stays the same."""
    return text.translate(_STRAIGHT_BY_CURLY)


def find_places(text: str, old: str) -> list[Place]:
    """Return the start and end of each occurrence of `old` in a text, from the left, without overlaps."""
    places_found: list[Place] = []
    if old:
        start = text.find(old)
        while start >= 0:
            places_found.append((start, start + len(old)))
            start = text.find(old, start + len(old))
    return places_found


def iter_readings(text: str, old: str) -> Iterator[tuple[list[Place], bool]]:
    """Yield the places of `old` in a text for each reading of both, and whether quotes were folded for it.

    The first reading is exact. Others follow the conventions `line-ends` (an LF also matches a CRLF) and `quotes` (a
    straight quote also matches a curly quote). Readings without a match, or with the same places as an earlier
    reading, are omitted.
    """
    seen: list[list[Place]] = []
    is_curly = not (text.isascii() and old.isascii())
    has_ends = "\n" in old and ("\r\n" in text or "\r\n" in old)
    for folds_quotes in (False, True)[: 1 + is_curly]:
        for ignores_line_ends in (False, True)[: 1 + has_ends]:
            places_found = _find_with_folding(text, old, fold=folds_quotes, bare=ignores_line_ends)
            if places_found and places_found not in seen:
                seen.append(places_found)
                yield places_found, folds_quotes


def _find_with_folding(text: str, old: str, *, fold: bool, bare: bool) -> list[Place]:
    if fold:
        text, old = fold_quotes(text), fold_quotes(old)
    if not bare:
        return find_places(text, old)
    found = find_places(text.replace("\r\n", "\n"), old.replace("\r\n", "\n"))
    return _places_with_crlf(text, found)


def _places_with_crlf(text: str, places_without_cr: list[Place]) -> list[Place]:
    """Convert places in a text whose CRs were removed to places in the original text with CRLF."""
    ends = sorted({end for place in places_without_cr for end in place})
    shifted_ends: dict[int, int] = {}
    position = 0
    shift = 0
    for end in ends:
        while (next_end := text.find("\r\n", position)) >= 0 and next_end - shift < end:
            shift += 1
            position = next_end + 2
        shifted_ends[end] = end + shift
    return [(shifted_ends[start], shifted_ends[end]) for start, end in places_without_cr]


_MAX_VARIANTS = 64
"""Maximum number of variants of a text that are followed from one replacement to the next."""
_SPACE = r"[ \t\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_SPACES_AT_ENDS = re.compile(rf"{_SPACE}(?<!{_SPACE}{_SPACE}){_SPACE}*+(?=[\r\n]|\Z)")
"""Whitespace before a line end or the text's end. Python searches a pattern fast that starts with a character class."""


@dataclass(frozen=True, slots=True)
class Change:
    """A text after a replacement, the positions of the inserted texts, and whether their quotes may be curled."""

    text: str
    inserted: tuple[Place, ...]
    curled: bool


def may_become(
    before: bytes | None, call: Sequence[Replacement] | Written, after: bytes, *, crlf: bool
) -> bool:
    """Whether a file with the bytes `before` (None: no file) may contain `after` once the call is answered.

    `crlf` means that some file in the workspace has CRLF line ends; then a new file may use CRLF as well.
    """
    if isinstance(call, Written):
        return is_inserted(before, call, after) or any(
            after == content for content in _written_contents(before, call.text, crlf=crlf)
        )
    content = Content.of(before or b"")
    if content.mark and any("\ufeff" in edit.old for edit in call):
        marked = Content(b"", content.encoding, f"\ufeff{content.text}")
        if _has_edited_content(marked, call, after):
            return True
    return _has_edited_content(content, call, after)


def is_inserted(before: bytes | None, call: Written, after: bytes) -> bool:
    """Whether an insertion puts its text before or after the whole old content."""
    if not call.inserts or not before:
        return False
    content = Content.of(before)
    return any(
        after == content.data(text)
        for new in _text_variants(content.text, call.text)
        for text in (new + content.text, content.text + new)
    )


def _has_edited_content(content: Content, call: Sequence[Replacement], after: bytes) -> bool:
    texts = [content.text]
    for number, edit in enumerate(call):
        if number == len(call) - 1:
            if any(content.data(text) == after for text in _apply_exactly(texts, edit)):
                return True  # the usual case; the checks below are slower
            return any(
                _is_expected_content(content, change, after)
                for text in texts
                for change in iter_changes(text, edit)
            )
        texts = list(
            islice((change.text for text in texts for change in iter_changes(text, edit)), _MAX_VARIANTS)
        )
    return False


def _apply_exactly(texts: Sequence[str], edit: Replacement) -> Iterator[str]:
    """Yield each text with the replacement applied exactly as requested, except texts without a unique old text."""
    for text in texts:
        count = text.count(edit.old) if edit.old else 0
        if count == 1 or (count and (edit.every or edit.count == count)):
            yield text.replace(edit.old, next(_text_variants(text, edit.new)))


def iter_changes(text: str, edit: Replacement) -> Iterator[Change]:
    """Yield the texts after a replacement. Yields nothing if the old text is missing or ambiguous."""
    if not edit.old:
        if not text:
            yield Change(edit.new, ((0, len(edit.new)),), curled=False)
        return
    for found_places, fold in iter_readings(text, edit.old):
        if len(found_places) > 1 and not edit.every and edit.count != len(found_places):
            # The exact text occurs several times, so no other reading can find a single place.
            return
        for new in _text_variants(text, edit.new):
            yield _insert_at_places(text, found_places, new, curled=fold)
        if not _SPACES_AT_ENDS.sub("", edit.new):
            yield _insert_at_places(
                text, [_extend_over_newline(text, place) for place in found_places], "", curled=fold
            )


def _insert_at_places(text: str, found_places: Sequence[Place], new: str, *, curled: bool) -> Change:
    parts: list[str] = []
    inserted = []
    at = length = 0
    for start, end in found_places:
        parts += (text[at:start], new)
        length += start - at
        inserted.append((length, length + len(new)))
        length += len(new)
        at = end
    return Change("".join((*parts, text[at:])), tuple(inserted), curled)


def _text_variants(text: str, new: str) -> Iterator[str]:
    """Yield an inserted text with the variants of the conventions `line-ends` and `trailing-whitespace`."""
    adapted = with_line_ends(new, "\r\n") if "\n" in text and text.count("\n") == text.count("\r\n") else new
    yield adapted
    if "\n" in text and adapted != new and "\r\n" in new:
        yield new
    cut = _SPACES_AT_ENDS.sub("", adapted)
    if cut != adapted:
        yield cut


def _extend_over_newline(text: str, place: Place) -> Place:
    start, end = place
    for newline in ("\r\n", "\n"):
        if text.startswith(newline, end):
            return start, end + len(newline)
    return place


def _is_expected_content(content: Content, change: Change, after: bytes) -> bool:
    if content.data(change.text) == after:
        return True
    if not change.curled:
        return False
    actual = Content.of(after)
    if (actual.mark, actual.encoding) != (content.mark, content.encoding) or len(actual.text) != len(
        change.text
    ):
        return False
    position = 0
    for start, end in (*change.inserted, (len(change.text), len(change.text))):
        if actual.text[position:start] != change.text[position:start]:
            return False
        if fold_quotes(actual.text[start:end]) != fold_quotes(change.text[start:end]):
            return False
        position = end
    return True


def _written_contents(before: bytes | None, text: str, *, crlf: bool) -> Iterator[bytes]:
    """Yield the contents of a written file by `written-line-ends`, `written-encoding` and `trailing-whitespace`."""
    plain = Content.of(b"")
    yield plain.data(text)  # nearly every tool does this; skip the other variants
    former = Content.of(before or b"")
    follows = former.is_crlf or (not before and crlf)
    unmarked = text.removeprefix("\ufeff")
    texts = dict.fromkeys((text, unmarked))
    for text_variant in dict.fromkeys(
        (*texts, *(_SPACES_AT_ENDS.sub("", text_variant) for text_variant in texts))
    ):
        for encoded_text in (
            (text_variant, with_line_ends(text_variant, "\r\n"))
            if follows
            else (text_variant, with_line_ends(text_variant, "\n"))
        ):
            yield plain.data(encoded_text)
            yield former.data(encoded_text)
            yield Content(b"", former.encoding, "").data(encoded_text)
