"""Line provenance: the author of each line of a file, and whether the session has seen it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from readfirst.harness.harm.text_codec import Content, split_pieces
from readfirst.harness.harm.visible_lines import shown_lines
from readfirst.harness.suite.file_entry import Entry, RegularFile, data_of

LineAuthor = Literal["given", "other", "session"]
"""The author of a line: the given workspace, another program or session, or this session."""

_AUTHORS_BY_MARK: dict[str, LineAuthor] = {"g": "given", "o": "other", "s": "session"}
"""Authors by the mark of a line in `FileKnowledge.marks`. A capital letter marks a seen line."""

_MAX_COMPARED_LINES = 2_000
"""Maximum number of different lines compared in order. Beyond, a new line is unchanged if an old line equals it."""
_MAX_FORMER_CONTENTS = 8
"""Number of former contents of a file that are remembered."""


class Line(NamedTuple):
    """One line of the current file. `seen` means that the session was shown the whole line, or wrote it."""

    text: str
    author: LineAuthor
    seen: bool


@lru_cache(maxsize=32)
def lines_of(data: bytes) -> tuple[str, ...]:
    """Return the lines of a file without their line ends."""
    return tuple(Content.of(data).lines)


class _ShownLines(NamedTuple):
    """Knowledge of one file that depends on the answers: the marks of its lines, and the session's last action on it.
    Computed lazily by `FileKnowledge`.
    """

    marks: str
    is_known: bool = False
    since: str = ""
    last: str = ""


_NOTHING_SHOWN = _ShownLines("")
_Step = Callable[[_ShownLines], _ShownLines]


class FileKnowledge:
    """Knowledge of one file: its bytes, the author of each line, former contents, and which lines the session has
    seen.

    Immutable. `former` contains former contents, the latest first. `others`: another program has changed the file.
    `forgotten`: a summary removed shown lines from the conversation. `expected` is the knowledge before other
    programs changed the file, whose content the session still expects; None if the session has read or written the
    file since. Seen lines are computed lazily, because most edits do no harm.
    """

    __slots__ = (
        "_before",
        "_shown",
        "_step",
        "_surely_known",
        "data",
        "expected",
        "forgotten",
        "former",
        "others",
    )

    def __init__(self, data: bytes = b"") -> None:
        """Create the knowledge of a new file."""
        self.data = data
        self.former: tuple[bytes, ...] = ()
        self.expected: FileKnowledge | None = None
        self.others = False
        self.forgotten = False
        self._surely_known = False
        self._shown: _ShownLines | None = _NOTHING_SHOWN
        self._before: FileKnowledge | None = None
        self._step: _Step | None = None

    @classmethod
    def from_given_data(cls, data: bytes) -> FileKnowledge:
        """Return the knowledge of a file that existed before the session."""
        knowledge = cls(data)
        knowledge._shown = None
        knowledge._step = lambda _: _ShownLines("g" * len(lines_of(data)))
        return knowledge

    def _with_step(self, step: _Step, *, is_known: bool) -> FileKnowledge:
        """Return the knowledge after a step that may show lines. `is_known`: it surely shows or writes some."""
        knowledge = FileKnowledge(self.data)
        knowledge.former, knowledge.others, knowledge.forgotten = self.former, self.others, self.forgotten
        knowledge._surely_known = is_known or self._surely_known
        knowledge._shown, knowledge._before, knowledge._step = None, self, step
        return knowledge

    def _all_shown(self) -> _ShownLines:
        """Compute the marks of the lines after all steps, beginning at the last step with a computed result."""
        uncomputed: list[FileKnowledge] = []
        knowledge: FileKnowledge | None = self
        while knowledge is not None and knowledge._shown is None:
            uncomputed.append(knowledge)
            knowledge = knowledge._before
        shown = _NOTHING_SHOWN if knowledge is None or knowledge._shown is None else knowledge._shown
        for step_knowledge in reversed(uncomputed):
            assert step_knowledge._step is not None
            shown = step_knowledge._shown = step_knowledge._step(shown)
            step_knowledge._before = step_knowledge._step = None
        return shown

    @property
    def marks(self) -> str:
        """One letter for each line, for its author; a capital letter if the line was seen."""
        return self._all_shown().marks

    @property
    def is_known(self) -> bool:
        """Whether the session was shown a part of the file, or wrote it."""
        return self._surely_known or self._all_shown().is_known

    @property
    def since(self) -> str:
        """The last action of the session on the file before another program changed it, such as `Read`, or empty."""
        return self._all_shown().since

    @property
    def lines(self) -> list[Line]:
        """The current lines."""
        return [
            Line(text, _AUTHORS_BY_MARK[mark.lower()], mark.isupper())
            for text, mark in zip(lines_of(self.data), self.marks, strict=True)
        ]

    def after_write(self, author: LineAuthor, after: bytes) -> FileKnowledge:
        """Return the knowledge after `author` changed the file. Unchanged lines keep their author, and remain seen or
        unseen.

        If other programs restore the content that the session expects, the lines that it had seen count as seen
        again.
        """
        before = self.data
        expected = None if author == "session" else self.expected or self
        is_restored = expected is not None and expected.data == after

        def write_lines(shown: _ShownLines) -> _ShownLines:
            mark = "S" if author == "session" else author[0]
            marks = _carry_marks(lines_of(before), shown.marks, lines_of(after), mark)
            if author == "session":
                return _ShownLines(marks, True, shown.since, "session's own change")
            if expected is not None and is_restored:
                pairs = zip(marks, expected.marks, strict=True)
                marks = "".join([mark.upper() if seen.isupper() else mark for mark, seen in pairs])
            return shown._replace(marks=marks, since=shown.last)

        knowledge = self._with_step(write_lines, is_known=author == "session")
        knowledge.data = after
        knowledge.former = (before, *(content for content in self.former if content != before))[
            :_MAX_FORMER_CONTENTS
        ]
        knowledge.others = self.others or author != "session"
        knowledge.expected = expected
        return knowledge

    def after_read(self, answer: str, tool: str) -> FileKnowledge:
        """Return the knowledge after an answer of `tool` that shows lines of the file, usually of Read."""
        data = self.data
        return self._with_step(
            lambda shown: _ShownLines(_mark_seen_lines(data, shown.marks, answer), True, shown.since, tool),
            is_known=True,
        )

    def after_mention(self, answer: str, tool: str) -> FileKnowledge:
        """Return the knowledge after an answer of `tool` that may show lines of the file, for example of a command."""
        data = self.data

        def mention_lines(shown: _ShownLines) -> _ShownLines:
            marks = _mark_seen_lines(data, shown.marks, answer)
            return shown if marks == shown.marks else _ShownLines(marks, True, shown.since, tool)

        knowledge = self._with_step(mention_lines, is_known=False)
        knowledge.expected = self.expected
        return knowledge

    def shown_whole(self, how: str) -> FileKnowledge:
        """Return the knowledge after the session was shown the whole file. `how` is the occasion, such as `summary`."""
        return self._with_step(
            lambda shown: _ShownLines(shown.marks.upper(), True, shown.since, how), is_known=True
        )

    def after_summary(self) -> FileKnowledge:
        """Return the knowledge after a summary without the file: only lines of the session stay seen."""

        def forget_lines(shown: _ShownLines) -> _ShownLines:
            marks = "".join([mark if mark == "S" else mark.lower() for mark in shown.marks])
            return _ShownLines(marks, "S" in marks, shown.since, shown.last)

        knowledge = self._with_step(forget_lines, is_known=False)
        knowledge._surely_known, knowledge.forgotten = False, True
        return knowledge

    def overwritten_lines(self, after: bytes) -> list[int]:
        """Return the numbers (from 1) of the lines that the session has not seen and that the new content `after`
        does not contain.

        These lines are lost work. Blank lines are omitted. A line with only a different line end is not lost.
        """
        if after == self.data:
            return []
        lines = lines_of(self.data)
        texts = split_pieces(Content.of(after).text)
        lone_ends = b"\r" in self.data.replace(b"\r\n", b"")  # a lone CR splits a line into several pieces
        distinct = set(lines)
        is_distinct = len(distinct) == len(lines)
        if not lone_ends and is_distinct and distinct.issubset(texts):
            return []  # seen or not
        marks = self.marks
        if not marks or marks.isupper():
            return []
        unseen: Iterable[tuple[int, str]] = enumerate(lines, 1)
        if not marks.islower():
            unseen = (
                (number, text)
                for (number, text), mark in zip(unseen, marks, strict=True)
                if mark in _AUTHORS_BY_MARK
            )
        if not lone_ends and (is_distinct or distinct.isdisjoint(texts)):
            new_texts = set(texts)
            return [
                number for number, text in unseen if text not in new_texts and text and not text.isspace()
            ]
        remaining = Counter(texts)
        lost_numbers = []
        for number, text in unseen:
            if "\r" in text:
                parts = [part for part in split_pieces(text) if part.strip()]
                for part in parts:
                    remaining[part] -= 1
                if not parts or min(map(remaining.__getitem__, parts)) >= 0:
                    continue
                remaining.update(parts)
            elif (count := remaining.get(text)) is not None and count > 0:
                remaining[text] = count - 1
                continue
            elif not text or text.isspace():
                continue
            lost_numbers.append(number)
        return lost_numbers

    def authors(self, numbers: Iterable[int]) -> set[LineAuthor]:
        """Return the set of authors of the lines with these numbers, which count from 1."""
        marks = self.marks
        return {_AUTHORS_BY_MARK[mark.lower()] for mark in {marks[number - 1] for number in numbers}}


def _mark_seen_lines(data: bytes, marks: str, answer: str) -> str:
    """Return the marks of the lines, with a capital letter also for each line that an answer shows."""
    if not marks or marks.isupper():
        return marks
    shown = shown_lines(lines_of(data), answer)
    return "".join([mark.upper() if seen else mark for mark, seen in zip(marks, shown, strict=True)])


def _carry_marks(old: Sequence[str], marks: str, new: Sequence[str], mark: str) -> str:
    """Return the marks of new lines: unchanged lines keep their mark, new lines get `mark`."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    common_end = 0
    while common_end < shorter - start and old[-1 - common_end] == new[-1 - common_end]:
        common_end += 1
    middle = new[start : len(new) - common_end]
    removed = old[start : len(old) - common_end]
    carried = [mark] * len(middle)
    if len(removed) + len(middle) <= _MAX_COMPARED_LINES:
        matcher = difflib.SequenceMatcher(None, removed, middle, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            carried[b : b + size] = marks[start + a : start + a + size]
    else:
        marks_by_text = dict(zip(removed, marks[start:], strict=False))
        carried = [marks_by_text.get(text, mark) for text in middle]
    return marks[:start] + "".join(carried) + marks[len(old) - common_end :]


def initial_knowledge(state: Mapping[str, Entry]) -> dict[str, FileKnowledge]:
    """Return the knowledge of all files that exist before the session, by path."""
    return {
        path: FileKnowledge.from_given_data(entry.data)
        for path, entry in state.items()
        if isinstance(entry, RegularFile)
    }


def learn_change(
    view: dict[str, FileKnowledge], path: str, before: Entry | None, after: Entry | None, *, session: bool
) -> None:
    """Update the knowledge of a file in `view` after a change by the session (`session`) or another program."""
    if not isinstance(after, RegularFile):
        return
    data = data_of(before)
    if data == after.data and path in view:
        return
    view[path] = view.get(path, FileKnowledge()).after_write("session" if session else "other", after.data)
