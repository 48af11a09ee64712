"""Hands: who put each line of a file there, and which lines a session has been shown."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from readfirst.harness.harm.content import Content, pieces
from readfirst.harness.harm.shown import shown_lines

Hand = Literal["given", "other", "session"]
"""Who put a line there: the workspace as it was given, somebody else since, or this session."""

_HANDS: dict[str, Hand] = {"g": "given", "o": "other", "s": "session"}
"""What stands for a line in `Known.marks`; a capital where the line was seen."""

_MOST_COMPARED = 2_000
"""Lines of a difference that are matched one by one; of more, equal lines are taken for the same."""
_KEPT = 8
"""Former contents that are remembered of a file."""


class Line(NamedTuple):
    """One line of a file as it is now. `seen`: it was shown to the session in full, or the session wrote it."""

    text: str
    hand: Hand
    seen: bool


@lru_cache(maxsize=32)
def lines_of(data: bytes) -> tuple[str, ...]:
    """Return the lines of a file without their ends."""
    return tuple(Content.of(data).lines)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one file: its bytes, whose lines they are, what it held before, and what was shown of it.

    `met`: the session was shown something of it, or wrote it. `last` is what the session did with it last, and `since`
    what it had done when somebody else put lines there. `others`: somebody else changed it.
    """

    data: bytes = b""
    marks: str = ""
    former: tuple[bytes, ...] = ()
    met: bool = False
    since: str = ""
    last: str = ""
    others: bool = False

    @classmethod
    def given(cls, data: bytes) -> Known:
        """Return what is known of a file that was there before the session."""
        return cls(data, "g" * len(lines_of(data)))

    @property
    def lines(self) -> list[Line]:
        """The lines as they are now."""
        return [
            Line(text, _HANDS[mark.lower()], mark.isupper())
            for text, mark in zip(lines_of(self.data), self.marks, strict=True)
        ]

    def put(self, hand: Hand, after: bytes) -> Known:
        """Return it after a change of its bytes; lines that stay keep what is known of them."""
        mark = "S" if hand == "session" else hand[0]
        marks = _carried(lines_of(self.data), self.marks, lines_of(after), mark)
        former = (self.data, *(each for each in self.former if each != self.data))[:_KEPT]
        if hand == "session":
            return replace(
                self, data=after, marks=marks, former=former, met=True, last="session's own change"
            )
        return replace(self, data=after, marks=marks, former=former, since=self.last, others=True)

    def shown(self, answer: str, tool: str) -> Known:
        """Return it after an answer about it."""
        marks = self.marks
        if marks and not marks.isupper():
            shown = shown_lines(lines_of(self.data), answer)
            pairs = zip(marks, marks.upper(), shown, strict=True)
            marks = "".join([upper if seen else mark for mark, upper, seen in pairs])
        return replace(self, marks=marks, met=True, last=tool)

    def shown_whole(self, how: str) -> Known:
        """Return it after all of it was shown."""
        return replace(self, marks=self.marks.upper(), met=True, last=how)

    def lost(self, after: bytes) -> list[tuple[int, Line]]:
        """Return the unseen lines, with their numbers from 1, that bytes which replace the file leave out.

        Blank lines are nobody's work, and a line that ends otherwise is not lost.
        """
        if not self.marks or self.marks.isupper() or after == self.data:
            return []
        texts = pieces(Content.of(after).text)
        pairs = zip(lines_of(self.data), self.marks, strict=True)
        unseen = [text for text, mark in pairs if not mark.isupper() and text.strip()]
        different = set(unseen)
        if len(different) == len(unseen) and b"\r" not in self.data and different.issubset(texts):
            return []  # as mostly; what follows takes longer
        left = Counter(texts)
        gone = []
        for number, (text, mark) in enumerate(zip(lines_of(self.data), self.marks, strict=True), 1):
            if mark.isupper() or not text.strip():
                continue
            wanted = [each for each in pieces(text) if each.strip()] if "\r" in text else [text]
            for each in wanted:
                left[each] -= 1
            if min(map(left.__getitem__, wanted)) < 0:
                left.update(wanted)
                gone.append((number, Line(text, _HANDS[mark], seen=False)))
        return gone


def _carried(old: Sequence[str], marks: str, new: Sequence[str], mark: str) -> str:
    """Return the marks of new lines: those that were there before keep theirs, the others get `mark`."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    rest = 0
    while rest < shorter - start and old[-1 - rest] == new[-1 - rest]:
        rest += 1
    middle = new[start : len(new) - rest]
    former = old[start : len(old) - rest]
    carried = [mark] * len(middle)
    if len(former) + len(middle) <= _MOST_COMPARED:
        matcher = difflib.SequenceMatcher(None, former, middle, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            carried[b : b + size] = marks[start + a : start + a + size]
    else:
        known = dict(zip(former, marks[start:], strict=False))
        carried = [known.get(text, mark) for text in middle]
    return marks[:start] + "".join(carried) + marks[len(old) - rest :]
