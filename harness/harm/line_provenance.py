"""Line provenance: the author of each line, and whether the session saw it. An overwritten unseen line is lost work."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from readfirst.harness.harm.text_codec import Content, split_pieces
from readfirst.harness.harm.visible_lines import shown_lines
from readfirst.harness.suite.file_entry import Entry, RegularFile, data_of

LineAuthor = Literal["given", "other", "session"]
"""The author of a line: `given` (existed before), `other` (another program or session), or the judged `session`."""

_AUTHORS_BY_MARK: dict[str, LineAuthor] = {"g": "given", "o": "other", "s": "session"}
"""The author for each letter of `FileKnowledge.marks`. A capital letter marks a line that the session has seen."""

_MAX_COMPARED_LINES = 2_000
"""Maximum number of lines compared in order. In longer files, a line counts as unchanged if any old line is equal."""
_MAX_FORMER_CONTENTS = 8
"""Maximum number of former contents of a file that are remembered."""


class Line(NamedTuple):
    """A line of a file's current content. `seen`: an answer showed the whole line, or the session wrote the line."""

    text: str
    author: LineAuthor
    seen: bool


@lru_cache(maxsize=32)
def lines_of(data: bytes) -> tuple[str, ...]:
    """Return the lines of a file without their line ends."""
    return tuple(Content.of(data).lines)


class _SeenLines(NamedTuple):
    """The values of `FileKnowledge` that are computed only if needed. `marks` contains a letter for each line, as
    `FileKnowledge.marks` does. `last_action` is the session's last action, such as `Read`.
    """

    marks: str
    is_known: bool = False
    action_before_change: str = ""
    last_action: str = ""


_NOTHING_SEEN = _SeenLines("")
_Update = Callable[[_SeenLines], _SeenLines]


@dataclass(slots=True, eq=False, repr=False)
class FileKnowledge:
    """The bytes of one file during a session, the author of each line, and the lines that the session has seen. Methods
    return a changed copy.
    """

    data: bytes = b""
    former: tuple[bytes, ...] = ()
    """Former contents, the latest first."""
    others: bool = False
    """Whether another program has changed the file."""
    forgotten: bool = False
    """Whether a summary removed shown lines from the conversation."""
    expected: FileKnowledge | None = None
    """After a change by another program, the knowledge before it, until the session reads or writes the file."""
    _surely_known: bool = False
    _seen: _SeenLines | None = _NOTHING_SEEN
    _before: FileKnowledge | None = None
    _update: _Update | None = None

    @classmethod
    def from_given_data(cls, data: bytes) -> FileKnowledge:
        """Create the knowledge about a file that existed before the session. The session has seen none of its lines."""
        return cls(data, _seen=None, _update=lambda _: _SeenLines("g" * len(lines_of(data))))

    def _with_update(self, update: _Update, *, is_known: bool) -> FileKnowledge:
        """Return a copy. When the seen lines of the copy are first needed, `update` computes them from the seen lines
        of this object. `is_known`: the session knows some lines of the file after any result of `update`.
        """
        surely_known = is_known or self._surely_known
        knowledge = FileKnowledge(self.data, self.former, self.others, self.forgotten, None, surely_known)
        knowledge._seen, knowledge._before, knowledge._update = None, self, update
        return knowledge

    def _compute_seen_lines(self) -> _SeenLines:
        """Apply all updates to the seen lines, and return them."""
        uncomputed: list[FileKnowledge] = []
        knowledge: FileKnowledge | None = self
        while knowledge is not None and knowledge._seen is None:
            uncomputed.append(knowledge)
            knowledge = knowledge._before
        seen = _NOTHING_SEEN if knowledge is None or knowledge._seen is None else knowledge._seen
        for knowledge in reversed(uncomputed):
            assert knowledge._update is not None
            seen = knowledge._seen = knowledge._update(seen)
            knowledge._before = knowledge._update = None
        return seen

    @property
    def marks(self) -> str:
        """One letter per line for its author: `g` (given), `o` (other) or `s` (session); a capital letter if seen."""
        return self._compute_seen_lines().marks

    @property
    def is_known(self) -> bool:
        """Whether the session has seen some lines of the file, or has written the file."""
        return self._surely_known or self._compute_seen_lines().is_known

    @property
    def action_before_change(self) -> str:
        """The session's last action on the file before another program changed it, such as `Read`. Empty if none."""
        return self._compute_seen_lines().action_before_change

    @property
    def lines(self) -> list[Line]:
        """The lines of the current content, with their authors."""
        return [
            Line(text, _AUTHORS_BY_MARK[mark.lower()], mark.isupper())
            for text, mark in zip(lines_of(self.data), self.marks, strict=True)
        ]

    def after_write(self, author: LineAuthor, after: bytes) -> FileKnowledge:
        """Return this knowledge after `author` wrote `after`. Unchanged lines keep their mark (see `marks`)."""
        before = self.data
        expected = None if author == "session" else self.expected or self
        is_restored = expected is not None and expected.data == after

        def write_lines(seen: _SeenLines) -> _SeenLines:
            mark = "S" if author == "session" else author[0]
            marks = _carry_marks(lines_of(before), seen.marks, lines_of(after), mark)
            if author == "session":
                return _SeenLines(marks, True, seen.action_before_change, "session's own change")
            if expected is not None and is_restored:
                pairs = zip(marks, expected.marks, strict=True)
                marks = "".join([mark.upper() if former.isupper() else mark for mark, former in pairs])
            return seen._replace(marks=marks, action_before_change=seen.last_action)

        knowledge = self._with_update(write_lines, is_known=author == "session")
        knowledge.data = after
        other_contents = (content for content in self.former if content != before)
        knowledge.former = (before, *other_contents)[:_MAX_FORMER_CONTENTS]
        knowledge.others = self.others or author != "session"
        knowledge.expected = expected
        return knowledge

    def after_read(self, answer: str, tool: str) -> FileKnowledge:
        """Return this knowledge after `tool`, usually Read, answered with lines of the file, which are now seen."""

        def read_lines(seen: _SeenLines) -> _SeenLines:
            marks = _mark_seen_lines(self.data, seen.marks, answer)
            return _SeenLines(marks, True, seen.action_before_change, tool)

        return self._with_update(read_lines, is_known=True)

    def after_possible_read(self, answer: str, tool: str) -> FileKnowledge:
        """Return this knowledge after an answer that may show lines of the file, for example of a command."""

        def read_lines(seen: _SeenLines) -> _SeenLines:
            marks = _mark_seen_lines(self.data, seen.marks, answer)
            return seen if marks == seen.marks else _SeenLines(marks, True, seen.action_before_change, tool)

        knowledge = self._with_update(read_lines, is_known=False)
        knowledge.expected = self.expected
        return knowledge

    def after_full_read(self, occasion: str) -> FileKnowledge:
        """Return this knowledge after the whole file was shown on an `occasion`, for example `summary`."""

        def read_lines(seen: _SeenLines) -> _SeenLines:
            return _SeenLines(seen.marks.upper(), True, seen.action_before_change, occasion)

        return self._with_update(read_lines, is_known=True)

    def after_summary(self) -> FileKnowledge:
        """Return this knowledge after a summary without the file. Only lines that the session wrote remain seen."""

        def forget_lines(seen: _SeenLines) -> _SeenLines:
            marks = "".join([mark if mark == "S" else mark.lower() for mark in seen.marks])
            return seen._replace(marks=marks, is_known="S" in marks)

        knowledge = self._with_update(forget_lines, is_known=False)
        knowledge._surely_known, knowledge.forgotten = False, True
        return knowledge

    def overwritten_lines(self, after: bytes) -> list[int]:
        """Return the numbers (from 1) of the lines that are lost if the content becomes `after`: lines that the session
        has not seen, and that `after` lacks. Blank lines are omitted.
        """
        if after == self.data:
            return []
        lines = lines_of(self.data)
        texts = split_pieces(Content.of(after).text)
        marks = self.marks
        if not marks or marks.isupper():
            return []
        unseen = [(number, text) for number, text in enumerate(lines, 1) if marks[number - 1].islower()]
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
        """Return the authors of the lines with these numbers. The first line has the number 1."""
        marks = self.marks
        return {_AUTHORS_BY_MARK[mark.lower()] for mark in {marks[number - 1] for number in numbers}}


def _mark_seen_lines(data: bytes, marks: str, answer: str) -> str:
    """Return `FileKnowledge.marks` after an answer. Lines that the answer shows get capital letters."""
    if not marks or marks.isupper():
        return marks
    shown = shown_lines(lines_of(data), answer)
    return "".join([mark.upper() if seen else mark for mark, seen in zip(marks, shown, strict=True)])


def _carry_marks(old: Sequence[str], marks: str, new: Sequence[str], mark: str) -> str:
    """Return the marks of the `new` lines. An unchanged line keeps its mark. Changed lines get the mark `mark`."""
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
    """Return a FileKnowledge for each file that exists before the session. The keys are the paths of the files."""
    return {
        path: FileKnowledge.from_given_data(entry.data)
        for path, entry in state.items()
        if isinstance(entry, RegularFile)
    }


def record_change(
    knowledge: dict[str, FileKnowledge],
    path: str,
    before: Entry | None,
    after: Entry | None,
    *,
    by_session: bool,
) -> None:
    """Update the FileKnowledge of one file after the session (`by_session`) or another program changed the file."""
    if not isinstance(after, RegularFile) or (data_of(before) == after.data and path in knowledge):
        return
    author: LineAuthor = "session" if by_session else "other"
    knowledge[path] = knowledge.get(path, FileKnowledge()).after_write(author, after.data)
