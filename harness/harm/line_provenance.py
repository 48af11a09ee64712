"""Line provenance: the author of each line of a file, and whether the session has seen it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from readfirst.harness.harm.text_codec import Content, pieces
from readfirst.harness.harm.visible_lines import shown_lines

Hand = Literal["given", "other", "session"]
"""The author of a line: the given workspace, another program or session, or this session."""

_HANDS: dict[str, Hand] = {"g": "given", "o": "other", "s": "session"}
"""Authors by the mark of a line in `FileKnowledge.marks`. A capital letter marks a seen line."""

_MOST_COMPARED = 2_000
"""Maximum number of lines that are compared one by one. In longer differences, equal lines count as the same
line.
"""
_KEPT = 8
"""Number of former contents of a file that are remembered."""


class Line(NamedTuple):
    """One line of the current file. `seen` means that the session was shown the whole line, or wrote it."""

    text: str
    hand: Hand
    seen: bool


@lru_cache(maxsize=32)
def lines_of(data: bytes) -> tuple[str, ...]:
    """Return the lines of a file without their line ends."""
    return tuple(Content.of(data).lines)


class _Shown(NamedTuple):
    """Shown lines of a file, and how the session learned of it; computed lazily by `FileKnowledge`."""

    marks: str
    met: bool = False
    since: str = ""
    last: str = ""


_NEW = _Shown("")
_Step = Callable[[_Shown], _Shown]


class FileKnowledge:
    """Knowledge of one file: its bytes, the author of each line, former contents, and the lines that were
    shown.

    Immutable. `former` contains former contents. `others` means that another program changed the file,
    `forgotten` that a summary replaced the shown lines. Shown lines are computed lazily, because most edits do
    no harm.
    """

    __slots__ = ("_before", "_shown", "_step", "_surely_met", "data", "forgotten", "former", "others")

    def __init__(self, data: bytes = b"") -> None:
        """Create the knowledge of a new file."""
        self.data = data
        self.former: tuple[bytes, ...] = ()
        self.others = False
        self.forgotten = False
        self._surely_met = False
        self._shown: _Shown | None = _NEW
        self._before: FileKnowledge | None = None
        self._step: _Step | None = None

    @classmethod
    def given(cls, data: bytes) -> FileKnowledge:
        """Return the knowledge of a file that existed before the session."""
        known = cls(data)
        known._shown = None
        known._step = lambda _: _Shown("g" * len(lines_of(data)))
        return known

    def _then(self, step: _Step, *, met: bool) -> FileKnowledge:
        """Return the knowledge after a step that may show lines. `met` means that it certainly does."""
        known = FileKnowledge(self.data)
        known.former, known.others, known.forgotten = self.former, self.others, self.forgotten
        known._surely_met = met or self._surely_met
        known._shown, known._before, known._step = None, self, step
        return known

    def _all_shown(self) -> _Shown:
        """Compute the shown lines, from the last step with a known result."""
        waiting: list[FileKnowledge] = []
        known: FileKnowledge | None = self
        while known is not None and known._shown is None:
            waiting.append(known)
            known = known._before
        shown = _NEW if known is None or known._shown is None else known._shown
        for each in reversed(waiting):
            assert each._step is not None
            shown = each._shown = each._step(shown)
            each._before = each._step = None
        return shown

    @property
    def marks(self) -> str:
        """One letter for each line: its author; a capital letter if the line was seen."""
        return self._all_shown().marks

    @property
    def met(self) -> bool:
        """Whether the session was shown a part of the file, or wrote it."""
        return self._surely_met or self._all_shown().met

    @property
    def since(self) -> str:
        """Last action of the session on the file before another program changed lines."""
        return self._all_shown().since

    @property
    def lines(self) -> list[Line]:
        """The current lines."""
        return [
            Line(text, _HANDS[mark.lower()], mark.isupper())
            for text, mark in zip(lines_of(self.data), self.marks, strict=True)
        ]

    def put(self, hand: Hand, after: bytes) -> FileKnowledge:
        """Return the knowledge after a change of the bytes. Unchanged lines keep their marks."""
        before = self.data

        def put(shown: _Shown) -> _Shown:
            mark = "S" if hand == "session" else hand[0]
            marks = _carried(lines_of(before), shown.marks, lines_of(after), mark)
            if hand == "session":
                return _Shown(marks, True, shown.since, "session's own change")
            return shown._replace(marks=marks, since=shown.last)

        known = self._then(put, met=hand == "session")
        known.data = after
        known.former = (before, *(each for each in self.former if each != before))[:_KEPT]
        known.others = self.others or hand != "session"
        return known

    def shown(self, answer: str, tool: str) -> FileKnowledge:
        """Return the knowledge after an answer about the file."""
        data = self.data
        return self._then(
            lambda shown: _Shown(_seen(data, shown.marks, answer), True, shown.since, tool), met=True
        )

    def heard(self, answer: str, tool: str) -> FileKnowledge:
        """Return the knowledge after an answer that may mention the file."""
        data = self.data

        def hear(shown: _Shown) -> _Shown:
            marks = _seen(data, shown.marks, answer)
            return shown if marks == shown.marks else _Shown(marks, True, shown.since, tool)

        return self._then(hear, met=False)

    def shown_whole(self, how: str) -> FileKnowledge:
        """Return the knowledge after the whole file was shown."""
        return self._then(lambda shown: _Shown(shown.marks.upper(), True, shown.since, how), met=True)

    def forget(self) -> FileKnowledge:
        """Return the knowledge after a summary that does not show the file: only lines of the session stay
        seen.
        """

        def forget(shown: _Shown) -> _Shown:
            marks = "".join([mark if mark == "S" else mark.lower() for mark in shown.marks])
            return _Shown(marks, "S" in marks, shown.since, shown.last)

        known = self._then(forget, met=False)
        known._surely_met, known.forgotten = False, True
        return known

    def lost(self, after: bytes) -> list[int]:
        """Return the numbers, from 1, of unseen lines that the new content `after` does not contain.

        Blank lines do not count, and a different line end is not a loss.
        """
        if after == self.data:
            return []
        lines = lines_of(self.data)
        texts = pieces(Content.of(after).text)
        lone_ends = b"\r" in self.data.replace(b"\r\n", b"")  # a lone CR splits a line into several pieces
        different = set(lines)
        once = len(different) == len(lines)
        if not lone_ends and once and different.issubset(texts):
            return []  # seen or not
        marks = self.marks
        if not marks or marks.isupper():
            return []
        unseen: Iterable[tuple[int, str]] = enumerate(lines, 1)
        if not marks.islower():
            unseen = (
                (number, text) for (number, text), mark in zip(unseen, marks, strict=True) if mark in _HANDS
            )
        if not lone_ends and (once or different.isdisjoint(texts)):
            there = set(texts)
            return [number for number, text in unseen if text not in there and text and not text.isspace()]
        left = Counter(texts)
        gone = []
        for number, text in unseen:
            if "\r" in text:
                wanted = [each for each in pieces(text) if each.strip()]
                for each in wanted:
                    left[each] -= 1
                if not wanted or min(map(left.__getitem__, wanted)) >= 0:
                    continue
                left.update(wanted)
            elif (count := left.get(text)) is not None and count > 0:
                left[text] = count - 1
                continue
            elif not text or text.isspace():
                continue
            gone.append(number)
        return gone

    def hands(self, numbers: Iterable[int]) -> set[Hand]:
        """Return the authors of these lines, by their numbers from 1."""
        marks = self.marks
        return {_HANDS[mark.lower()] for mark in {marks[number - 1] for number in numbers}}


def _seen(data: bytes, marks: str, answer: str) -> str:
    """Return the marks of lines after an answer about them."""
    if not marks or marks.isupper():
        return marks
    shown = shown_lines(lines_of(data), answer)
    return "".join([mark.upper() if seen else mark for mark, seen in zip(marks, shown, strict=True)])


def _carried(old: Sequence[str], marks: str, new: Sequence[str], mark: str) -> str:
    """Return the marks of new lines: unchanged lines keep their mark, new lines get `mark`."""
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
