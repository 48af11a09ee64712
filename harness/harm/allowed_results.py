"""Permitted: what a file may hold after a call, by the letter of the call and by the conventions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from readfirst.harness.harm.requested_edit import Replacement, Written
from readfirst.harness.harm.text_codec import Content, with_line_ends

Place = tuple[int, int]
"""Where a text begins and ends, in characters."""

_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


def folded(text: str) -> str:
    """Return the text with straight quotes for curly ones; its length stays."""
    return text.translate(_CURLY)


def places(text: str, old: str) -> list[Place]:
    """Return where `old` is found in a text, from the left, none overlapping another."""
    found: list[Place] = []
    if old:
        at = text.find(old)
        while at >= 0:
            found.append((at, at + len(old)))
            at = text.find(old, at + len(old))
    return found


def readings(text: str, old: str) -> Iterator[tuple[list[Place], bool]]:
    """Yield where `old` is found by each reading, and whether quotes were folded; as it is first, none without a place.

    The conventions `line-ends` and `quotes`: an LF also matches a CRLF, a straight quote a curly one.
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
    """Return places in a text whose CRLFs were LFs when they were found."""
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
"""Ways to understand several replacements that are looked at."""
_SPACE = r"[ \t\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_SPACES_AT_ENDS = re.compile(rf"{_SPACE}(?<!{_SPACE}{_SPACE}){_SPACE}*+(?=[\r\n]|\Z)")
"""A class of characters comes first, because only such a pattern is searched for fast."""


@dataclass(frozen=True, slots=True)
class Change:
    """A text after a replacement, where the inserted texts are in it, and whether their quotes may be curled."""

    text: str
    inserted: tuple[Place, ...]
    curled: bool


def may_become(
    before: bytes | None, call: Sequence[Replacement] | Written, after: bytes, *, crlf: bool
) -> bool:
    """Whether a file of these bytes (None: there was none) may hold `after` once the call is answered.

    `crlf`: there are files with CRLF around, whose line ends a new file may take.
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
    """Whether a text that may be inserted comes before or after all that was there."""
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
                return True  # as mostly; what follows takes longer
            return any(_fits(content, change, after) for text in texts for change in changes(text, edit))
        texts = list(islice((change.text for text in texts for change in changes(text, edit)), _MOST))
    return False


def _by_the_letter(texts: Sequence[str], edit: Replacement) -> Iterator[str]:
    """Yield the first of the `changes` of each text, where it is one to the letter."""
    for text in texts:
        found = text.count(edit.old) if edit.old else 0
        if found == 1 or (found and (edit.every or edit.count == found)):
            yield text.replace(edit.old, next(_inserted(text, edit.new)))


def changes(text: str, edit: Replacement) -> Iterator[Change]:
    """Yield what a text may become by a replacement; nothing where old text is not there, or not in one place."""
    if not edit.old:
        if not text:
            yield Change(edit.new, ((0, len(edit.new)),), curled=False)
        return
    for found, fold in readings(text, edit.old):
        if len(found) > 1 and not edit.every and edit.count != len(found):
            # By the letter there are several places; by no reading is there one then.
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
    """Yield an inserted text as conventions let it be in this one: `line-ends` and `trailing-whitespace`."""
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
    """Yield what a written file may hold: `written-line-ends`, `written-encoding` and `trailing-whitespace`."""
    plain = Content.of(b"")
    yield plain.data(text)  # what nearly every tool does; the rest need not be tried
    former = Content.of(before or b"")
    follows = former.is_crlf or (not before and crlf)
    unmarked = text.removeprefix("\ufeff")
    given = dict.fromkeys((text, unmarked))
    for each in dict.fromkeys((*given, *(_SPACES_AT_ENDS.sub("", each) for each in given))):
        for ends in (each, with_line_ends(each, "\r\n")) if follows else (each, with_line_ends(each, "\n")):
            yield plain.data(ends)
            yield former.data(ends)
            yield Content(b"", former.encoding, "").data(ends)
