"""Numbered lines: lines of an answer behind their numbers, which must be those of the file's lines."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Where = Mapping[str, Sequence[int]]
"""The indexes of a file's lines, ascending, by the texts that show them."""
Hits = Mapping[int, int]
"""For lines of an answer, by their index in it, the index of the line of the file that each shows."""

NUMBER = re.compile(
    r"(?:[\W_]{0,16}(?:(?:lineno|number|lines?|row|num|ln|nr|no|id|l|n)[\W_]{0,3}){0,2}|[^\s]{1,200}?[:-](?=[0-9]+[:-]))"
    r"([0-9]{1,18})(?![^\W_])",
    re.IGNORECASE,
)
"""A number in front of a line: behind nothing but signs and words for it, or behind a path and before `:` or `-`."""
_LONGEST_TAIL = 12
_LONGEST_DIGEST = 8
_SHIFTS = 4
"""Shifts that are looked at beside 0 and -1."""
_COMMON = 8
"""Lines with the same text from which on the text says nothing of the shift."""


class Numbered(NamedTuple):
    """Lines of an answer that have a number and a line of the file; `shown` are those with the right number."""

    hits: Hits
    shown: Hits


_NONE = Numbered({}, {})


class _Candidate(NamedTuple):
    """A line of an answer that may be lines of the file (`indexes`) behind a label that ends at `cut`."""

    at: int
    number: int
    kind: str
    blank: str
    cut: int
    indexes: Sequence[int]


def find_numbered_lines(texts: Sequence[str], where: Where, lines: Sequence[str]) -> Numbered:
    """Return the lines of an answer that are lines of the file behind a number.

    A shift is what the number of a line is above its place in the file, counted from 1. Shifts whose lines are also
    explained by another one that explains more are accidents. Of the others, 0 holds if it explains anything, else -1,
    else one whose first line has the number 0 or 1. If none of these is there, the numbers are wrong: nothing is
    shown.
    """
    at_once = _as_mostly(texts, lines)
    if at_once is not None:
        return at_once
    candidates = [*_candidates(texts, where)]
    if not candidates:
        return _NONE
    votes = Counter(
        each.number - 1 - index
        for each in candidates
        if len(each.indexes) <= _COMMON
        for index in each.indexes
    )
    numbers = {each.at: each.number for each in candidates}
    explained: dict[int, Hits] = {}
    for shift in dict.fromkeys((0, -1, *(shift for shift, _ in votes.most_common(_SHIFTS)))):
        if hits := _hits(candidates, shift):
            explained[shift] = hits
    tenable = {
        shift: hits
        for shift, hits in explained.items()
        if not any(hits.keys() < others.keys() for others in explained.values())
    }
    for shift, hits in tenable.items():
        if shift in (0, -1) or numbers[min(hits)] in (0, 1):
            return Numbered(hits, hits)
    return Numbered(max(tenable.values(), key=len), {}) if tenable else _NONE


def _as_mostly(texts: Sequence[str], lines: Sequence[str]) -> Numbered | None:
    """Return the numbered lines where all are what they say, behind one separator; None where a closer look is due."""
    hits: dict[int, int] = {}
    common = ""
    for at, said in enumerate(texts):
        numbered = NUMBER.match(said)
        if numbered is None:
            continue
        index = int(numbered[1]) - 1
        if not 0 <= index < len(lines):
            return None
        line = lines[index].rstrip()
        if not line:
            continue
        tail = said[numbered.end() : len(said) - len(line)]
        if not said.endswith(line) or (common or tail) != tail or not tail:
            return None
        common = tail
        hits[at] = index
    if common not in ("\t", "→", ": ", "|", ":", "| "):
        return None
    return Numbered(hits, hits)


def _candidates(texts: Sequence[str], where: Where) -> Iterator[_Candidate]:
    for at, said in enumerate(texts):
        numbered = NUMBER.match(said)
        if numbered is None:
            continue
        words = "".join([letter for letter in numbered[0] if letter.isalpha()])
        for cut, has_digest in _ends_of_label(said, numbered.end()):
            indexes = where.get(said[cut:])
            if indexes:
                label = said[numbered.end() : cut]
                blank = label[len(label.rstrip()) :]
                kind = f"{words}{'#' * has_digest}{' ' * (blank == label)}"
                yield _Candidate(at, int(numbered[1]), kind, blank, cut, indexes)


def _ends_of_label(said: str, end: int) -> Iterator[tuple[int, bool]]:
    """Yield where a label may end whose number ends at `end`, and whether it then has a digest.

    Signs and spaces may follow the number; one word among them, a digest, has signs on both sides. A tab ends it.
    """
    digest = 0
    for cut in range(end + 1, min(len(said), end + _LONGEST_TAIL + 1)):
        former, sign = said[cut - 2], said[cut - 1]
        in_digest = former.isalnum() and cut - 2 >= end
        if sign.isalnum():
            digest += 1
            if digest > _LONGEST_DIGEST or former.isspace() or (digest > 1 and not in_digest):
                return
        else:
            if (in_digest and sign.isspace()) or (former == "\t" and cut - 2 >= end):
                return
            yield cut, digest > 0


def _hits(candidates: Sequence[_Candidate], shift: int) -> Hits:
    """Return the lines that a shift explains, behind labels of one kind.

    All labels have the same blanks at their end, or the same width. More than one blank behind a sign is too much for a
    line alone.
    """
    groups: dict[tuple[str, str | int], dict[int, int]] = {}
    for each in candidates:
        index = each.number - 1 - shift
        if index in each.indexes:
            groups.setdefault((each.kind, each.blank), {})[each.at] = index
            groups.setdefault((each.kind, each.cut), {})[each.at] = index
    sure = [
        hits
        for (kind, blank), hits in groups.items()
        if len(hits) > 1 or kind.endswith(" ") or (isinstance(blank, str) and len(blank) < 2)
    ]
    return max(sure, key=len, default={})
