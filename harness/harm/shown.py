"""Shown: which lines of a file an answer contains, however a tool numbers or quotes them."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache

from readfirst.harness.suite.repeated import texts_in

_MARK = "\ufeff"
"""A byte order mark, which some tools show in front of the first line."""
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Half of a surrogate pair, as UTF-16 may have it; the others represent bytes that are not UTF-8."""
_NUMBER = re.compile(r"\s*[A-Za-z#]{0,5}\s?([0-9]+)(?:[:#][0-9A-Za-z]{1,8})?\s?[^\w\s]?\s?")
"""What a tool puts in front of a line: its number, perhaps a short digest, and a separator."""

_HEADING = re.compile("<[A-Za-z_-]+>|[A-Z][A-Za-z ]{0,40}: ")
"""What a tool may put in front of the first line, on the same line: a tag, or words and a colon."""

_DIGITS = 18
"""Digits of a number that are looked at: no file has more lines."""


def shown_lines(lines: Sequence[str], answer: str) -> list[bool]:
    """Return for each line of a file whether the answer contains it in full.

    A line that is blank counts as shown. A number in front of a line says which line it is, where it fits. The first
    line may also follow a heading.
    """
    shown = [not line or line.isspace() for line in lines]
    held: frozenset[str] | None = None
    where: Mapping[str, Sequence[int]] | None = None
    last = -1
    answered = [each.removesuffix("\r") for each in (*answer.split("\n"), *_quoted(answer))]
    for said in answered:
        numbered = _NUMBER.match(said)
        number = int(numbered[1][:_DIGITS]) if numbered is not None else None
        which: int | None
        if numbered and number and number <= len(lines) and lines[number - 1] == said[numbered.end() :]:
            which = number - 1  # what most tools show; the rest need not be tried
        else:
            texts = _readings(said, numbered)
            if held is None:
                held = _held(tuple(lines))
            if held.isdisjoint(texts):
                continue
            if where is None:
                where = _where(lines, answered)
            which = _which(number, texts, where, last)
        if which is not None:
            shown[which] = True
            last = which
    if not all(shown[:1]):
        shown[0] = any(_begins(lines[0], said) for said in answered)
    return shown


def _begins(first: str, said: str) -> bool:
    """Whether a line of an answer is a heading and the first line of the file."""
    heading = _HEADING.match(said)
    if heading is None:
        return False
    rest = said[heading.end() :]
    numbered = _NUMBER.match(rest)
    texts = _readings(rest, numbered if numbered and int(numbered[1][:_DIGITS]) <= 1 else None)
    return not {first, *_odd((first,)).get(0, ())}.isdisjoint(texts)


def _where(lines: Sequence[str], answered: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the indexes of the lines by their texts in the answer; of those it cannot hold as they are, by others."""
    exact = {text for said in answered for text in _readings(said, _NUMBER.match(said))}
    where: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if line in exact:
            where.setdefault(line, []).append(index)
    for index, texts in _odd(tuple(lines)).items():
        if lines[index] not in exact:
            for text in exact.intersection(texts):
                where.setdefault(text, []).append(index)
    for found in where.values():
        found.sort()
    return where


@lru_cache(maxsize=8)
def _held(lines: tuple[str, ...]) -> frozenset[str]:
    """Return what an answer that shows any of these lines has."""
    return frozenset((*lines, *(text for texts in _odd(lines).values() for text in texts)))


@lru_cache(maxsize=8)
def _odd(lines: tuple[str, ...]) -> Mapping[int, Sequence[str]]:
    """Return, by their indexes, what an answer may hold instead of lines that it cannot hold as they are.

    The last few files are kept, because one answer after another is about the same.
    """
    return {
        index: (shown := _as_shown(line), shown.rstrip())
        for index, line in enumerate(lines)
        if line[-1:].isspace() or not line.isprintable()
    }


def _as_shown(line: str) -> str:
    """Return a line as an answer can hold it: bytes that are no text are one mark each."""
    if line.isprintable():
        return line
    line = _HALF.sub("\ufffd", line)
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").removesuffix("\r")


def _readings(said: str, numbered: re.Match[str] | None) -> tuple[str, ...]:
    """Return what a line of an answer may be, with or without what is in front of it, the likeliest first."""
    plain = (said, said.rstrip(), said.removeprefix(_MARK))
    if numbered is None:
        return plain
    end = numbered.end(1)
    body = said[numbered.end() :]
    separated = (body, body.removeprefix(_MARK), said[end + 1 :], said[end + 1 :].removeprefix(_MARK))
    return (*separated, said[end:], said[end:].lstrip(), *plain)


def _which(
    number: int | None, texts: Sequence[str], where: Mapping[str, Sequence[int]], last: int
) -> int | None:
    """Return which line is shown: by its number, else the next after the last; None where it is no line of the file."""
    found = [where[text] for text in texts if text in where]
    if number is not None:
        for index in (number - 1, number):  # most tools count from 1, some from 0
            for each in found:
                at = bisect_left(each, index)
                if at < len(each) and each[at] == index:
                    return index
    if not found:
        return None
    at = bisect_right(found[0], last)
    return found[0][at] if at < len(found[0]) else found[0][0]


def _quoted(answer: str) -> list[str]:
    """Return the lines of all strings in an answer that is JSON."""
    start = answer.lstrip()[:1]
    if start not in ("{", "[", '"'):
        return []
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return []
    return [line for text in texts_in(value) for line in text.split("\n")]
