"""Find lines of an answer that begin with a line number and a line of the file, such as ` 12→text`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

LineIndex = Mapping[str, Sequence[int]]
"""Index of a file's lines. Keys: texts that an answer may show for a line; values: ascending indexes of these lines."""
Matches = Mapping[int, int]
"""The shown lines of a file. Keys: the positions of the lines in the answer; values: their indexes in the file."""

NUMBER = re.compile(
    r"(?:[\W_]{0,16}(?:(?:lineno|number|lines?|row|num|ln|nr|no|id|l|n)[\W_]{0,3}){0,2}|[^\s]{1,200}?[:-](?=[0-9]+[:-]))"
    r"([0-9]{1,18})(?![^\W_])",
    re.IGNORECASE,
)
"""Matches a line number in an answer: after signs and words (`line`), or after a path and before `:` or `-`."""
_MAX_LABEL_CHARS = 12
"""Maximum number of characters between a line number and the text of the line."""
_MAX_DIGEST_CHARS = 8
_MAX_SHIFTS = 4
"""Maximum number of shifts (line number minus position in the file) that are tried in addition to 0 and -1."""
_MAX_REPETITIONS = 8
"""A line that occurs more often than this in a file, such as `}`, is not used to find the shift of line numbers."""


class NumberedMatches(NamedTuple):
    """The numbered lines of an answer that match a line of the file. `right` are the matches with the right number."""

    matches: Matches
    right: Matches


_NO_MATCHES = NumberedMatches({}, {})


class _Candidate(NamedTuple):
    """A line of an answer that starts with a line number and may show a line of the file."""

    position: int
    """The index of the line in the answer."""
    number: int
    kind: str
    blank: str
    """The whitespace before the text of the line."""
    cut: int
    """The index of the first character of the text, after the number and signs such as `: `."""
    indexes: Sequence[int]
    """The indexes that the line may have in the file."""


def find_numbered_lines(texts: Sequence[str], line_index: LineIndex) -> NumberedMatches:
    """Find the lines of an answer (`texts`) that start with a line number and show lines of the file.

    A tool may number lines from 0 or 1, or from the first shown line. Therefore several shifts are tried: number minus
    position in the file, from 1. If no shift fits, the numbers are wrong, and `right` is empty.
    """
    candidates = [*_iter_candidates(texts, line_index)]
    if not candidates:
        return _NO_MATCHES
    votes = Counter(
        candidate.number - 1 - index
        for candidate in candidates
        if len(candidate.indexes) <= _MAX_REPETITIONS
        for index in candidate.indexes
    )
    numbers = {candidate.position: candidate.number for candidate in candidates}
    shifts = dict.fromkeys((0, -1, *(shift for shift, _ in votes.most_common(_MAX_SHIFTS))))
    by_shift = {shift: matches for shift in shifts if (matches := _matches_of_shift(candidates, shift))}
    possible = {
        shift: matches
        for shift, matches in by_shift.items()
        if not any(matches.keys() < others.keys() for others in by_shift.values())
    }
    for shift, matches in possible.items():
        if shift in (0, -1) or numbers[min(matches)] in (0, 1):
            return NumberedMatches(matches, matches)
    return NumberedMatches(max(possible.values(), key=len), {}) if possible else _NO_MATCHES


def _iter_candidates(texts: Sequence[str], line_index: LineIndex) -> Iterator[_Candidate]:
    for position, text in enumerate(texts):
        number_match = NUMBER.match(text)
        if number_match is None:
            continue
        words = "".join([letter for letter in number_match[0] if letter.isalpha()])
        for cut, has_digest in _label_ends(text, number_match.end()):
            indexes = line_index.get(text[cut:])
            if indexes:
                label = text[number_match.end() : cut]
                blank = label[len(label.rstrip()) :]
                kind = f"{words}{'#' * has_digest}{' ' * (blank == label)}"
                yield _Candidate(position, int(number_match[1]), kind, blank, cut, indexes)


def _label_ends(text: str, end: int) -> Iterator[tuple[int, bool]]:
    """Yield each possible start of a line's text after its number, which ends at `end`, and whether the characters
    between contain a digest. These characters, such as `: `, are signs, spaces and at most one digest.
    """
    digest = 0
    for cut in range(end + 1, min(len(text), end + _MAX_LABEL_CHARS + 1)):
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
    """Return the lines of an answer whose line number, minus `shift`, is the position of the shown line in the file."""
    groups: dict[tuple[str, str | int], dict[int, int]] = {}
    for candidate in candidates:
        index = candidate.number - 1 - shift
        if index in candidate.indexes:
            groups.setdefault((candidate.kind, candidate.blank), {})[candidate.position] = index
            groups.setdefault((candidate.kind, candidate.cut), {})[candidate.position] = index
    certain = [
        matches
        for (kind, blank), matches in groups.items()
        if len(matches) > 1 or kind.endswith(" ") or (isinstance(blank, str) and len(blank) < 2)
    ]
    return max(certain, key=len, default={})
