"""Compute the contents that a file may have after a call: the requested content, and variants that conventions
allow.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from readfirst.harness.harm.requested_edit import Replacement, Written
from readfirst.harness.harm.text_codec import Content, with_line_ends

Place = tuple[int, int]
"""Start and end of a text, in characters."""

_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def folded(text: str) -> str:
    """Return the text with straight quotes instead of curly quotes. The length stays the same."""
    return text.translate(_CURLY)


def places(text: str, old: str) -> list[Place]:
    """Return the positions of `old` in a text, from the left, without overlaps."""
    found: list[Place] = []
    if old:
        at = text.find(old)
        while at >= 0:
            found.append((at, at + len(old)))
            at = text.find(old, at + len(old))
    return found


def readings(text: str, old: str) -> Iterator[tuple[list[Place], bool]]:
    """Yield the positions of `old` for each reading, and whether quotes were folded: first the exact text, and
    no reading without a match.

    The conventions `line-ends` and `quotes`: an LF also matches a CRLF, and a straight quote matches a curly
    quote.
    """
    seen: list[list[Place]] = []
    is_curly = not (text.isascii() and old.isascii())
    has_ends = "\n" in old and ("\r\n" in text or "\r\n" in old)
    for fold in (False, True)[: 1 + is_curly]:
        for bare in (False, True)[: 1 + has_ends]:
            found = _reading(text, old, fold=fold, bare=bare)
            if found and found not in seen:
                seen.append(found)
                yield found, fold


def _reading(text: str, old: str, *, fold: bool, bare: bool) -> list[Place]:
    if fold:
        text, old = folded(text), folded(old)
    if not bare:
        return places(text, old)
    found = places(text.replace("\r\n", "\n"), old.replace("\r\n", "\n"))
    return _placed_back(text, found)


def _placed_back(text: str, found: list[Place]) -> list[Place]:
    """Convert positions in a text with LF to positions in the same text with CRLF."""
    wanted = sorted({end for place in found for end in place})
    where: dict[int, int] = {}
    at = 0
    shift = 0
    for end in wanted:
        while (next_end := text.find("\r\n", at)) >= 0 and next_end - shift < end:
            shift += 1
            at = next_end + 2
        where[end] = end + shift
    return [(where[start], where[end]) for start, end in found]


_MOST = 64
"""Maximum number of variants that are tracked for several replacements."""
_SPACE = r"[ \t\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_SPACES_AT_ENDS = re.compile(rf"{_SPACE}(?<!{_SPACE}{_SPACE}){_SPACE}*+(?=[\r\n]|\Z)")
"""The pattern starts with a character class, because Python searches such patterns fast."""


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

    `crlf` means that a file in the workspace has CRLF, so a new file may use CRLF too.
    """
    if isinstance(call, Written):
        return is_inserted(before, call, after) or any(
            after == each for each in _written(before, call.text, crlf=crlf)
        )
    content = Content.of(before or b"")
    if content.mark and any("\ufeff" in edit.old for edit in call):
        marked = Content(b"", content.encoding, f"\ufeff{content.text}")
        if _edited(marked, call, after):
            return True
    return _edited(content, call, after)


def is_inserted(before: bytes | None, call: Written, after: bytes) -> bool:
    """Whether an insertion puts its text before or after the whole old content."""
    if not call.inserts or not before:
        return False
    content = Content.of(before)
    return any(
        after == content.data(text)
        for new in _inserted(content.text, call.text)
        for text in (new + content.text, content.text + new)
    )


def _edited(content: Content, call: Sequence[Replacement], after: bytes) -> bool:
    texts = [content.text]
    for number, edit in enumerate(call):
        if number == len(call) - 1:
            if any(content.data(text) == after for text in _by_the_letter(texts, edit)):
                return True  # the usual case; the checks below are slower
            return any(_fits(content, change, after) for text in texts for change in changes(text, edit))
        texts = list(islice((change.text for text in texts for change in changes(text, edit)), _MOST))
    return False


def _by_the_letter(texts: Sequence[str], edit: Replacement) -> Iterator[str]:
    """Yield the first change of each text that follows the call exactly."""
    for text in texts:
        found = text.count(edit.old) if edit.old else 0
        if found == 1 or (found and (edit.every or edit.count == found)):
            yield text.replace(edit.old, next(_inserted(text, edit.new)))


def changes(text: str, edit: Replacement) -> Iterator[Change]:
    """Yield the texts after a replacement. Yields nothing if the old text is missing or ambiguous."""
    if not edit.old:
        if not text:
            yield Change(edit.new, ((0, len(edit.new)),), curled=False)
        return
    for found, fold in readings(text, edit.old):
        if len(found) > 1 and not edit.every and edit.count != len(found):
            # The exact text occurs several times, so no other reading can find a single place.
            return
        for new in _inserted(text, edit.new):
            yield _put(text, found, new, curled=fold)
        if not _SPACES_AT_ENDS.sub("", edit.new):
            yield _put(text, [_with_newline(text, place) for place in found], "", curled=fold)


def _put(text: str, found: Sequence[Place], new: str, *, curled: bool) -> Change:
    parts: list[str] = []
    inserted = []
    at = length = 0
    for start, end in found:
        parts += (text[at:start], new)
        length += start - at
        inserted.append((length, length + len(new)))
        length += len(new)
        at = end
    return Change("".join((*parts, text[at:])), tuple(inserted), curled)


def _inserted(text: str, new: str) -> Iterator[str]:
    """Yield an inserted text with the variants of the conventions `line-ends` and `trailing-whitespace`."""
    own = with_line_ends(new, "\r\n") if "\n" in text and text.count("\n") == text.count("\r\n") else new
    yield own
    if "\n" in text and own != new and "\r\n" in new:
        yield new
    cut = _SPACES_AT_ENDS.sub("", own)
    if cut != own:
        yield cut


def _with_newline(text: str, place: Place) -> Place:
    start, end = place
    for newline in ("\r\n", "\n"):
        if text.startswith(newline, end):
            return start, end + len(newline)
    return place


def _fits(content: Content, change: Change, after: bytes) -> bool:
    if content.data(change.text) == after:
        return True
    if not change.curled:
        return False
    got = Content.of(after)
    if (got.mark, got.encoding) != (content.mark, content.encoding) or len(got.text) != len(change.text):
        return False
    at = 0
    for start, end in (*change.inserted, (len(change.text), len(change.text))):
        if got.text[at:start] != change.text[at:start]:
            return False
        if folded(got.text[start:end]) != folded(change.text[start:end]):
            return False
        at = end
    return True


def _written(before: bytes | None, text: str, *, crlf: bool) -> Iterator[bytes]:
    """Yield the contents of a written file: the conventions `written-line-ends`, `written-encoding` and
    `trailing-whitespace`.
    """
    plain = Content.of(b"")
    yield plain.data(text)  # nearly every tool does this; skip the other variants
    former = Content.of(before or b"")
    follows = former.is_crlf or (not before and crlf)
    unmarked = text.removeprefix("\ufeff")
    given = dict.fromkeys((text, unmarked))
    for each in dict.fromkeys((*given, *(_SPACES_AT_ENDS.sub("", each) for each in given))):
        for ends in (each, with_line_ends(each, "\r\n")) if follows else (each, with_line_ends(each, "\n")):
            yield plain.data(ends)
            yield former.data(ends)
            yield Content(b"", former.encoding, "").data(ends)
