"""Match lines of an answer that have a line number with lines of the file."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

LineIndex = Mapping[str, Sequence[int]]
"""Maps each text that can show lines of a file to the indexes of these lines, in ascending order."""
Matches = Mapping[int, int]
"""Maps the index of a line of an answer to the index of the file's line that it shows."""

NUMBER = re.compile(
    r"(?:[\W_]{0,16}(?:(?:lineno|number|lines?|row|num|ln|nr|no|id|l|n)[\W_]{0,3}){0,2}|[^\s]{1,200}?[:-](?=[0-9]+[:-]))"
    r"([0-9]{1,18})(?![^\W_])",
    re.IGNORECASE,
)
"""A line number: after signs and words such as `line`, or after a path and before `:` or `-`."""
_MAX_TAIL_CHARS = 12
_MAX_DIGEST_CHARS = 8
_MAX_SHIFTS = 4
"""Maximum number of shifts (line number minus position in the file) that are tried besides 0 and -1."""
_MIN_COMMON_LINES = 8
"""Lines that occur more often in a file, such as `}`, say little about the shift and are not used to find it."""


class Numbered(NamedTuple):
    """Numbered lines of an answer that match a line of the file (`hits`), and those with the right number (`shown`)."""

    hits: Matches
    shown: Matches


_NOTHING_FOUND = Numbered({}, {})


class _Candidate(NamedTuple):
    """A line of an answer that may match lines of the file (`indexes`) after a label that ends at `cut`."""

    at: int
    number: int
    kind: str
    blank: str
    cut: int
    indexes: Sequence[int]


def find_numbered_lines(texts: Sequence[str], where: LineIndex, lines: Sequence[str]) -> Numbered:
    """Return the lines of an answer that have a line number and match lines of the file.

    The shift is the number of a line minus its position in the file, counted from 1: a tool may number lines from 0, or
    from the first shown line. A shift is dropped if another shift explains all of its lines and more. Of the remaining
    shifts the first of these is used: 0, -1, a shift whose first line has the number 0 or 1. Otherwise the numbers are
    wrong, and no line counts as shown.
    """
    simple_matches = _match_simple_numbering(texts, lines)
    if simple_matches is not None:
        return simple_matches
    candidates = [*_iter_candidates(texts, where)]
    if not candidates:
        return _NOTHING_FOUND
    votes = Counter(
        candidate.number - 1 - index
        for candidate in candidates
        if len(candidate.indexes) <= _MIN_COMMON_LINES
        for index in candidate.indexes
    )
    numbers = {candidate.at: candidate.number for candidate in candidates}
    explained: dict[int, Matches] = {}
    for shift in dict.fromkeys((0, -1, *(shift for shift, _ in votes.most_common(_MAX_SHIFTS)))):
        if hits := _matches_of_shift(candidates, shift):
            explained[shift] = hits
    possible = {
        shift: hits
        for shift, hits in explained.items()
        if not any(hits.keys() < others.keys() for others in explained.values())
    }
    for shift, hits in possible.items():
        if shift in (0, -1) or numbers[min(hits)] in (0, 1):
            return Numbered(hits, hits)
    return Numbered(max(possible.values(), key=len), {}) if possible else _NOTHING_FOUND


def _match_simple_numbering(texts: Sequence[str], lines: Sequence[str]) -> Numbered | None:
    """Return the numbered lines if all numbers are right and have the same separator. None: check more closely."""
    hits: dict[int, int] = {}
    separator = ""
    for position, text in enumerate(texts):
        number_match = NUMBER.match(text)
        if number_match is None:
            continue
        index = int(number_match[1]) - 1
        if not 0 <= index < len(lines):
            return None
        line = lines[index].rstrip()
        if not line:
            continue
        text_before_line = text[number_match.end() : len(text) - len(line)]
        if (
            not text.endswith(line)
            or (separator or text_before_line) != text_before_line
            or not text_before_line
        ):
            return None
        separator = text_before_line
        hits[position] = index
    if separator not in ("\t", "→", ": ", "|", ":", "| "):
        return None
    return Numbered(hits, hits)


def _iter_candidates(texts: Sequence[str], where: LineIndex) -> Iterator[_Candidate]:
    for position, text in enumerate(texts):
        number_match = NUMBER.match(text)
        if number_match is None:
            continue
        words = "".join([letter for letter in number_match[0] if letter.isalpha()])
        for cut, has_digest in _label_ends(text, number_match.end()):
            indexes = where.get(text[cut:])
            if indexes:
                label = text[number_match.end() : cut]
                blank = label[len(label.rstrip()) :]
                kind = f"{words}{'#' * has_digest}{' ' * (blank == label)}"
                yield _Candidate(position, int(number_match[1]), kind, blank, cut, indexes)


def _label_ends(text: str, end: int) -> Iterator[tuple[int, bool]]:
    """Yield the index of each possible end of a label before a line, given the end of its line number (`end`), and
    whether the label contains a digest.

    Signs and spaces may follow the number. One word among them, a digest, needs signs on both sides. A tab
    ends the label.
    """
    digest = 0
    for cut in range(end + 1, min(len(text), end + _MAX_TAIL_CHARS + 1)):
        previous_sign, sign = text[cut - 2], text[cut - 1]
        in_digest = previous_sign.isalnum() and cut - 2 >= end
        if sign.isalnum():
            digest += 1
            if digest > _MAX_DIGEST_CHARS or previous_sign.isspace() or (digest > 1 and not in_digest):
                return
        else:
            if (in_digest and sign.isspace()) or (previous_sign == "\t" and cut - 2 >= end):
                return
            yield cut, digest > 0


def _matches_of_shift(candidates: Sequence[_Candidate], shift: int) -> Matches:
    """Return the lines of an answer whose number minus `shift` is their position in the file.

    Their labels must be of the same kind. Labels are of the same kind if they end with the same whitespace or
    have the same width. A single line must have at most one space after a sign.
    """
    groups: dict[tuple[str, str | int], dict[int, int]] = {}
    for candidate in candidates:
        index = candidate.number - 1 - shift
        if index in candidate.indexes:
            groups.setdefault((candidate.kind, candidate.blank), {})[candidate.at] = index
            groups.setdefault((candidate.kind, candidate.cut), {})[candidate.at] = index
    certain = [
        hits
        for (kind, blank), hits in groups.items()
        if len(hits) > 1 or kind.endswith(" ") or (isinstance(blank, str) and len(blank) < 2)
    ]
    return max(certain, key=len, default={})
