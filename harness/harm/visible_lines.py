"""Find the lines of a file that an answer contains, in any form that a person can read.

An answer is read in several ways (`shown_forms.readings_of`). In each reading, lines of the answer are compared
with lines of the file: unchanged, after a label that is the same for all, after a digest, or after a number
(`numbered_lines`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from readfirst.harness.harm.numbered_lines import NUMBER, Hits, Where, find_numbered_lines
from readfirst.harness.harm.shown_forms import MARK, forms_of_line, readings_of

_DIGEST = re.compile(r"[^\w\s]?([^\W_]{1,8})([\W_])")
"""A short word that may be a digest, and the start of its separator."""
_COUNTED = re.compile(r"([^\W\d_]*)[0-9]+")
"""A word that may be a number with letters before it."""
_SEPARATORS = "|│┃:#→>\t-"
"""Separators between a digest and the text: one of these, two of them, or one with a space after it."""
_MARK_OF_CAT = "M-oM-;M-?"
"""A byte order mark before the first line, as `cat -A` writes it."""
_LONGEST_LABEL = 12


def shown_lines(lines: Sequence[str], answer: str) -> list[bool]:
    """Return for each line of a file whether the answer contains the whole line.

    Blank lines count as shown. Whitespace at line ends does not matter. Line numbers count from 1, from 0, or
    from the first shown line, with the same shift in a whole reading of the answer.
    """
    shown = [not line or line.isspace() for line in lines]
    if all(shown):
        return shown
    where = _where(tuple(lines))
    explained: set[str] = set()
    for answered in readings_of(answer, explained):
        for at, index in _matched(answered, where, lines).items():
            explained.add(answered[at])
            if index is not None:
                shown[index] = True
        if all(shown):
            break
    return shown


@lru_cache(maxsize=8)
def _where(lines: tuple[str, ...]) -> Where:
    """Return the indexes of the lines by all texts that show them, without whitespace at the end.

    The last few files are cached, because consecutive answers usually concern the same file.
    """
    where: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        text = line.rstrip()
        if text:
            where.setdefault(text, []).append(index)
            if MARK in line or "\t" in line or not (line.isascii() and line.isprintable()):
                for form in forms_of_line(line) - {text, ""}:
                    where.setdefault(form, []).append(index)
            if index == 0:
                for form in {text} if line.isascii() else {text, *forms_of_line(line)}:
                    where.setdefault(_MARK_OF_CAT + form, []).append(index)
    return where


def _matched(answered: Sequence[str], where: Where, lines: Sequence[str]) -> dict[int, int | None]:
    """Return for lines of one reading of an answer the file's line that each shows. None if its number is
    wrong.

    Each line is read with or without its number, whichever explains more lines.
    """
    texts = [said.replace(MARK, "").rstrip() for said in answered]
    numbered = find_numbered_lines(texts, where, lines)
    counted: dict[int, int | None] = {at: numbered.shown.get(at) for at in numbered.hits}
    plain = _unnumbered(texts, where, numbered.hits)
    return {**counted, **plain} if len(plain) >= len(counted) else {**plain, **counted}


def _unnumbered(texts: Sequence[str], where: Where, numbered: Hits) -> Hits:
    """Return the lines of an answer that match lines of the file: unchanged, or all after one kind of label.

    A kind of label counts if it explains more lines than other labels and than line numbers.
    """
    cuts = {at: 0 for at, said in enumerate(texts) if said in where}
    least = max(len(cuts), len(numbered))
    if len(texts) - len(cuts) > least:
        for found in _labelled(texts, where, cuts):
            if len(found) > least:
                cuts, least = found, len(found)
    hits: dict[int, int] = {}
    last = -1
    for at, cut in sorted(cuts.items()):
        indexes = where[texts[at][cut:]]
        following = bisect_right(indexes, last)
        last = hits[at] = indexes[following] if following < len(indexes) else indexes[0]
    return hits


def _labelled(texts: Sequence[str], where: Where, exact: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """Yield for each kind of label the lines that have it, and the end of the label in each."""
    labels: dict[str, dict[int, int]] = {}
    digests: dict[str, dict[int, int]] = {}
    for at, said in enumerate(texts):
        if at not in exact and said:
            _add_labels(at, said, where, labels)
            _add_digests(at, said, where, digests)
    if any(said.startswith(("+", "-", "@@")) for said in texts):  # a diff, with context lines
        labels["+"] = {**labels.pop(" ", {}), **labels.get("+", {})}
        labels.pop("-", None)
    for label, found in labels.items():
        # A single line, or one of several, may have been indented differently.
        if not label.isspace() or (len(found) > 1 and all(texts[at].startswith(label) for at in exact)):
            yield found
    for found in digests.values():
        if found and _are_digests([texts[at] for at in found]):
            yield found


def _add_labels(at: int, said: str, where: Where, labels: dict[str, dict[int, int]]) -> None:
    """Record each prefix without letters and digits after which a line of the answer matches a line of the
    file.
    """
    for cut in range(1, min(len(said), _LONGEST_LABEL + 1)):
        if said[cut - 1].isalnum():
            return
        if said[cut:] in where:
            labels.setdefault(said[:cut], {})[at] = cut


def _add_digests(at: int, said: str, where: Where, digests: dict[str, dict[int, int]]) -> None:
    """Record each separator after a short word after which a line of the answer matches a line of the file."""
    word = _DIGEST.match(said)
    if word is None or word[2] not in _SEPARATORS:
        return
    start = word.start(2)
    for cut in (start + 1, start + 2):
        separator = said[start:cut]
        if cut < len(said) and separator[1:] in ("", " ", *_SEPARATORS) and said[cut:] in where:
            digests.setdefault(separator, {})[at] = cut


def _are_digests(texts: Sequence[str]) -> bool:
    """Whether the words before the separator are digests: of the same length, and not numbers with the same
    prefix.
    """
    words = [match[1] for text in texts if (match := _DIGEST.match(text))]
    if len(words) == 1:
        return len(words[0]) <= 4 and not NUMBER.match(texts[0])
    counted = {match[1] for word in words if (match := _COUNTED.fullmatch(word))}
    are_numbers = len(counted) == 1 and all(_COUNTED.fullmatch(word) for word in words)
    return not are_numbers and len({len(word) for word in words}) == 1
