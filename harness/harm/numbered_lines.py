"""Match lines of an answer that have a line number with lines of the file."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Where = Mapping[str, Sequence[int]]
"""Indexes of a file's lines in ascending order, by the texts that show them."""
Hits = Mapping[int, int]
"""Index of the file's line by the index of the answer's line that shows it."""

NUMBER = re.compile(
    r"(?:[\W_]{0,16}(?:(?:lineno|number|lines?|row|num|ln|nr|no|id|l|n)[\W_]{0,3}){0,2}|[^\s]{1,200}?[:-](?=[0-9]+[:-]))"
    r"([0-9]{1,18})(?![^\W_])",
    re.IGNORECASE,
)
"""A line number: after signs and words such as `line`, or after a path and before `:` or `-`."""
_LONGEST_TAIL = 12
_LONGEST_DIGEST = 8
_SHIFTS = 4
"""Maximum number of shifts that are tried besides 0 and -1."""
_COMMON = 8
"""Number of lines with the same text from which on the text does not determine the shift."""


class Numbered(NamedTuple):
    """Lines of an answer that have a number and match a line of the file; `shown` contains those with the right
    number.
    """

    hits: Hits
    shown: Hits


_NONE = Numbered({}, {})


class _Candidate(NamedTuple):
    """A line of an answer that may match lines of the file (`indexes`) after a label that ends at `cut`."""

    at: int
    number: int
    kind: str
    blank: str
    cut: int
    indexes: Sequence[int]


def find_numbered_lines(texts: Sequence[str], where: Where, lines: Sequence[str]) -> Numbered:
    """Return the numbered lines of an answer that match lines of the file.

    The shift is the number of a line minus its position in the file, counted from 1. A shift is dropped if
    another shift explains all of its lines and more. Of the others, 0 wins if it explains any line, then -1,
    then a shift whose first line has the number 0 or 1. Otherwise the numbers are wrong, and no line counts as
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
    """Return the numbered lines if all numbers are right and the separator is the same. None if a closer check
    is needed.
    """
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
    """Yield the positions at which a label may end whose number ends at `end`, and whether the label then
    contains a digest.

    Signs and spaces may follow the number. One word among them, a digest, needs signs on both sides. A tab ends
    the label.
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
    """Return the lines that a shift explains, with labels of the same kind.

    Labels are of the same kind if they end with the same whitespace or have the same width. A single line must
    have at most one space after a sign.
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
