"""Find the lines of a file that an answer contains, in any form that a person can read. An answer is converted to lines
in several ways (`shown_forms.readings_of`). The lines are then compared with lines of the file: unchanged, after a
label that is the same for all lines, after a digest, or after a number (`numbered_lines`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from readfirst.harness.harm.numbered_lines import NUMBER, LineIndex, Matches, find_numbered_lines
from readfirst.harness.harm.shown_forms import MARK, forms_of_line, readings_of

_DIGEST_PATTERN = re.compile(r"[^\w\s]?([^\W_]{1,8})([\W_])")
"""Pattern of a short word (a digest) that some tools write before each line, and of the sign after the word."""
_NUMBERED_WORD_PATTERN = re.compile(r"([^\W\d_]*)[0-9]+")
"""Pattern of a word such as `L12`: letters and a line number. Used to distinguish line numbers from digests."""
_SEPARATORS = "|│┃:#→>\t-"
"""Signs between a digest and the text of its line: one sign, two signs, or one sign and a space."""
_MARK_IN_CAT_OUTPUT = "M-oM-;M-?"
"""A byte order mark as `cat -A` prints it before the first line. Used to recognise the first line in such output."""
_MAX_LABEL_CHARS = 12


def shown_lines(lines: Sequence[str], answer: str) -> list[bool]:
    """Return for each line of a file whether the answer contains the whole line. Blank lines count as shown. Whitespace
    at line ends does not matter. Line numbers may count from 1, from 0, or from the first shown line.
    """
    shown = [not line or line.isspace() for line in lines]
    if all(shown):
        return shown
    line_index = _index_lines(tuple(lines))
    explained: set[str] = set()
    for answer_lines in readings_of(answer, explained):
        for position, index in _match_lines(answer_lines, line_index).items():
            explained.add(answer_lines[position])
            if index is not None:
                shown[index] = True
        if all(shown):
            break
    return shown


@lru_cache(maxsize=8)
def _index_lines(lines: tuple[str, ...]) -> LineIndex:
    """Return the index of a file's lines. The last few files are cached."""
    indexes_by_text: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        text = line.rstrip()
        if text:
            indexes_by_text.setdefault(text, []).append(index)
            if MARK in line or "\t" in line or not (line.isascii() and line.isprintable()):
                for form in forms_of_line(line) - {text, ""}:
                    indexes_by_text.setdefault(form, []).append(index)
            if index == 0:
                for form in {text} if line.isascii() else {text, *forms_of_line(line)}:
                    indexes_by_text.setdefault(_MARK_IN_CAT_OUTPUT + form, []).append(index)
    return indexes_by_text


def _match_lines(answered: Sequence[str], line_index: LineIndex) -> dict[int, int | None]:
    """Find the lines of an answer that show lines of the file, by line numbers or by text. Return their positions in
    the answer, with the index in the file. The index is None for a wrong line number.
    """
    texts = [text.replace(MARK, "").rstrip() for text in answered]
    numbered = find_numbered_lines(texts, line_index)
    numbered_matches = {position: numbered.right.get(position) for position in numbered.matches}
    other_matches = _match_unnumbered(texts, line_index, numbered.matches)
    if len(other_matches) >= len(numbered_matches):
        return {**numbered_matches, **other_matches}
    return {**other_matches, **numbered_matches}


def _match_unnumbered(texts: Sequence[str], line_index: LineIndex, numbered: Matches) -> Matches:
    """Find lines of an answer that show lines of the file without a number: unchanged, or all after the same signs,
    such as `> `. Lines after signs count only if they are more than the lines in `numbered`.
    """
    cuts = {position: 0 for position, text in enumerate(texts) if text in line_index}
    min_matches = max(len(cuts), len(numbered))
    if len(texts) - len(cuts) > min_matches:
        for ends in _iter_labels(texts, line_index, cuts):
            if len(ends) > min_matches:
                cuts, min_matches = ends, len(ends)
    matches: dict[int, int] = {}
    last_index = -1
    for position, cut in sorted(cuts.items()):
        indexes = line_index[texts[position][cut:]]
        next_position = bisect_right(indexes, last_index)
        last_index = matches[position] = (
            indexes[next_position] if next_position < len(indexes) else indexes[0]
        )
    return matches


def _iter_labels(
    texts: Sequence[str], line_index: LineIndex, exact: Mapping[int, int]
) -> Iterator[dict[int, int]]:
    """Yield the signs, such as `> `, that a tool may have put before lines of the file, as a mapping: position of a
    line in the answer to the index of the end of the signs. `exact` contains the positions of lines without signs.
    """
    labels: dict[str, dict[int, int]] = {}
    digests: dict[str, dict[int, int]] = {}
    for position, text in enumerate(texts):
        if position not in exact and text:
            _add_labels(position, text, line_index, labels)
            _add_digests(position, text, line_index, digests)
    if any(text.startswith(("+", "-", "@@")) for text in texts):  # a diff, with context lines
        labels["+"] = {**labels.pop(" ", {}), **labels.get("+", {})}
        labels.pop("-", None)
    for label, ends in labels.items():
        # A single line, or one of several, may have been indented differently.
        if not label.isspace() or (
            len(ends) > 1 and all(texts[position].startswith(label) for position in exact)
        ):
            yield ends
    for ends in digests.values():
        if ends and _are_digests([texts[position] for position in ends]):
            yield ends


def _add_labels(position: int, text: str, line_index: LineIndex, labels: dict[str, dict[int, int]]) -> None:
    """Add to `labels` each beginning of `text` without letters and digits that is followed by a line of the file."""
    for cut in range(1, min(len(text), _MAX_LABEL_CHARS + 1)):
        if text[cut - 1].isalnum():
            return
        if text[cut:] in line_index:
            labels.setdefault(text[:cut], {})[position] = cut


def _add_digests(position: int, text: str, line_index: LineIndex, digests: dict[str, dict[int, int]]) -> None:
    """Add `text` to `digests` if it is a short word (perhaps a digest), a separator and a line of the file."""
    word = _DIGEST_PATTERN.match(text)
    if word is None or word[2] not in _SEPARATORS:
        return
    start = word.start(2)
    for cut in (start + 1, start + 2):
        separator = text[start:cut]
        if cut < len(text) and separator[1:] in ("", " ", *_SEPARATORS) and text[cut:] in line_index:
            digests.setdefault(separator, {})[position] = cut


def _are_digests(texts: Sequence[str]) -> bool:
    """Whether the first words of lines are digests: they are equally long, and not numbers with the same prefix."""
    words = [match[1] for text in texts if (match := _DIGEST_PATTERN.match(text))]
    if len(words) == 1:
        return len(words[0]) <= 4 and not NUMBER.match(texts[0])
    prefixes = {match[1] for word in words if (match := _NUMBERED_WORD_PATTERN.fullmatch(word))}
    are_numbers = len(prefixes) == 1 and all(_NUMBERED_WORD_PATTERN.fullmatch(word) for word in words)
    return not are_numbers and len({len(word) for word in words}) == 1
