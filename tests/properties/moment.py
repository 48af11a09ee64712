"""Moment: one call with all that can be seen before and after it, and with what led to it."""

# Plain `os` calls on strings: they run once per path and call.
# ruff: noqa: PTH115, PTH123

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from posixpath import normpath
from typing import Any, Optional

from readfirst.harness.session import ToolResult
from readfirst.reference_impl import DEFAULT_CONTRACT, Behaviours, behaviours_of

STALE = ("File has been modified since read", "File has been unexpectedly modified")
NOT_READ = "File has not been read yet"
DENIED = "secret/"
"""What the permission rule of every workspace forbids to change."""
DEFAULT = behaviours_of(DEFAULT_CONTRACT)
A_MOMENT = 500_000_000
"""Nanoseconds. Times that differ by less may be the same for a session, which counts in milliseconds."""


@dataclass(frozen=True)
class Seen:
    """What can be seen of one path; a directory has neither data nor target."""

    kind: str
    mode: int
    inode: int
    modified: int
    data: bytes | None = None
    target: str | None = None

    @property
    def view(self) -> str:
        """The text as a model sees it, with `\\n` line ends."""
        data = self.data or b""
        encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
        return data.decode(encoding, "replace").replace("\r\n", "\n")

    @property
    def is_text(self) -> bool:
        """Whether it is valid UTF-8 without carriage returns that stand alone."""
        if self.data is None:
            return False
        try:
            return "\r" not in self.data.decode().replace("\r\n", "")
        except UnicodeDecodeError:
            return False

    @property
    def is_plain(self) -> bool:
        """Whether it is valid UTF-8 in which every line ends in `\\n` alone."""
        return self.is_text and b"\r" not in (self.data or b"")


State = Mapping[str, Seen]


@dataclass(frozen=True)
class Record:
    """The latest call on a path that went through: its tool, and the file after it."""

    tool: str
    seen: Seen | None


@dataclass(frozen=True)
class Moment:
    """One call with its result and the workspace around it; `path` is relative, None if it leads nowhere sensible.

    `record` tells of the latest call on this path that went through, `previous` is the call before this one.
    `echo` is the answer to the same call in a second workspace with the same history. `model` is what the files
    should be by then. `struck` is the file before others changed it during the call; `before` is then what they
    made of it. `room` is the number of bytes that the system let be written. `orders` are the outcomes that the
    calls of one message may have. `behaviours` are those of the contract that is judged by.
    """

    tool: str
    arguments: Mapping[str, Any]
    path: str | None
    result: ToolResult
    before: State
    after: State
    record: Record | None = None
    previous: Optional["Moment"] = None
    echo: tuple[ToolResult, Mapping[str, object]] | None = None
    model: Mapping[str, object] | None = None
    struck: Seen | None = None
    room: int | None = None
    orders: tuple[object, ...] = ()
    behaviours: Behaviours = DEFAULT

    @property
    def summary(self) -> str:
        """The call, what was answered, and the file before and after it."""
        files = [self.file(state) for state in (self.before, self.after)]
        before, after = (None if seen is None else seen.data for seen in files)
        return f"{self.tool} {dict(self.arguments)} -> {self.result}\nfrom {before!r}\nto   {after!r}"

    @property
    def refused(self) -> bool:
        return self.result.is_error

    @property
    def stale(self) -> bool:
        return self.refused and any(words in self.result.text for words in STALE)

    @property
    def not_read(self) -> bool:
        return self.refused and NOT_READ in self.result.text

    @property
    def is_usual(self) -> bool:
        """Whether nobody struck during the call and there was room for what it writes."""
        return self.struck is None and self.room is None

    @property
    def denied(self) -> bool:
        return self.path is not None and self.path.startswith(DENIED)

    @property
    def fits(self) -> bool:
        """Whether the arguments are of the kinds that the tool takes."""
        required, optional = _TYPES[self.tool]
        if not required.keys() <= self.arguments.keys() <= required.keys() | optional.keys():
            return False
        return all(type(value) is {**required, **optional}[name] for name, value in self.arguments.items())

    @property
    def asks_for_something(self) -> bool:
        """Whether it is a Write, or an Edit that replaces a text by another one, where neither is forbidden."""
        if self.denied or not self.fits or self.room is not None or self.spells_characters:
            return False
        return self.tool == "Write" or (
            self.tool == "Edit"
            and self.old != ""
            and self.old not in (self.arguments["new_string"], self.new)
        )

    @property
    def spells_characters(self) -> bool:
        """Whether the arguments hold what may stand for another character."""
        decoded = (
            self.behaviours.preparation.unicode_escapes_are_decoded
            or self.behaviours.matching.unicode_escapes_match_characters
        )
        return decoded and any("\\u" in str(value) for value in self.arguments.values())

    @property
    def can_be_written(self) -> bool:
        """Whether the contract lets Edit and Write change a file like the one at the path."""
        target = self.target
        told = (
            self.behaviours.encoding.read_notes_unwritable_files
            or self.behaviours.encoding.changes_refuse_unwritable_files
        )
        binary = told and target is not None and b"\0" in (target.data or b"")
        linked = (
            self.behaviours.writing.symlink_refusal != ""
            and self.file(self.before) is None
            and target is not None
        )
        return not binary and not linked and not self.denied

    @property
    def is_whole_read(self) -> bool:
        """Whether it shows a whole file of lines."""
        whole = self.tool == "Read" and not self.refused and self.arguments.keys() == {"file_path"}
        return whole and not self.only_refers and not str(self.path).endswith(".ipynb")

    @property
    def only_refers(self) -> bool:
        """Whether it is a Read that does not show the file but refers to an earlier one."""
        told = self.behaviours.reading.repeated_read_answer
        return self.tool == "Read" and told != "" and self.result.text.startswith(told)

    @property
    def follows_a_whole_read(self) -> bool:
        """Whether the call before showed the whole file, and nobody changed anything since."""
        read = self.previous
        return read is not None and read.is_whole_read and read.path == self.path and self.follows_at_once

    @property
    def repeats(self) -> bool:
        """Whether the call before was the same, and nothing happened in between."""
        return self.follows_at_once and self.previous_call == (self.tool, self.arguments)

    @property
    def follows_at_once(self) -> bool:
        """Whether nobody changed anything between the call before and this one."""
        return self.previous is not None and self.previous.after == self.before

    @property
    def previous_call(self) -> tuple[str, Mapping[str, Any]] | None:
        return None if self.previous is None else (self.previous.tool, self.previous.arguments)

    @property
    def old(self) -> str:
        return self.arguments["old_string"]

    @property
    def new(self) -> str:
        """What an Edit puts into a file that exists."""
        return self._kept(self.arguments["new_string"])

    @property
    def content(self) -> str:
        """What a Write writes."""
        return self._kept(self.arguments["content"])

    def _kept(self, text: str) -> str:
        return kept(text) if self.behaviours.preparation.trailing_whitespace_is_stripped else text

    @property
    def writes_plainly(self) -> bool:
        """Whether a Write writes what it is given: line ends and encoding of the file do not matter."""
        before = self.target
        marked = before is not None and (before.data or b"").startswith("\ufeff".encode())
        content = self.arguments["content"]
        if "\r" in content or self.spells_characters:
            return False
        if before is not None and before.data == b"" and not content.isascii():
            return not self.behaviours.encoding.empty_files_become_latin_1
        return before is None or (
            before.is_plain and not (marked and self.behaviours.encoding.write_keeps_byte_order_mark)
        )

    @property
    def mode_of_new_files(self) -> int:
        return 0o600 if self.behaviours.writing.new_files_get_mode_0600 else 0o644

    def text(self, seen: Seen) -> str:
        """Return the text of a file as Edit sees it."""
        return (
            seen.view.removeprefix("\ufeff")
            if self.behaviours.encoding.edit_hides_byte_order_mark
            else seen.view
        )

    def shown(self, seen: Seen) -> str:
        """Return the text of a file as Read shows it."""
        return (
            seen.view.removeprefix("\ufeff")
            if self.behaviours.encoding.read_hides_byte_order_mark
            else seen.view
        )

    @property
    def answer(self) -> ToolResult:
        """The result without the blanks at its end, which get lost where something follows the answer."""
        return replace(self.result, text=self.result.text.rstrip(BLANKS))

    @property
    def everywhere(self) -> bool:
        return self.arguments.get("replace_all", False)

    @property
    def target(self) -> Seen | None:
        """The regular file at the path before the call, links followed."""
        return followed(self.before, self.path)

    def file(self, state: State) -> Seen | None:
        """Return the regular file that the call is about, if that is no link."""
        found = state.get(self.path) if self.path is not None else None
        return found if found is not None and found.data is not None else None

    @property
    def is_as_recorded(self) -> bool:
        """Whether nothing happened to the file since the latest call on it that went through."""
        return self.record is not None and self.record.seen is not None and self.target == self.record.seen

    @property
    def shift(self) -> int | None:
        """How much later the file's time is than when it was recorded, in nanoseconds; None: not known."""
        if self.record is None or self.record.seen is None or self.target is None:
            return None
        return self.target.modified - self.record.seen.modified

    @property
    def is_fresh_change(self) -> bool:
        """Whether the file was as recorded at the end of the call before: the session could not notice a change yet."""
        return (
            self.record is not None
            and self.previous is not None
            and followed(self.previous.after, self.path) == self.record.seen
        )

    @property
    def edited(self) -> tuple[Seen, Seen] | None:
        """The file before and after an Edit that went through and named a text of the file exactly."""
        before, after = self.file(self.before), self.file(self.after)
        if self.tool != "Edit" or self.refused or self.struck is not None or before is None or after is None:
            return None
        if self.spells_characters:
            return None
        return (before, after) if self.old and self.old in before.view else None


_TYPES: dict[str, tuple[dict[str, type], dict[str, type]]] = {
    "Read": ({"file_path": str}, {"offset": int, "limit": int}),
    "Edit": ({"file_path": str, "old_string": str, "new_string": str}, {"replace_all": bool}),
    "Write": ({"file_path": str, "content": str}, {}),
    "NotebookEdit": (
        {"notebook_path": str, "new_source": str},
        {"cell_id": str, "cell_type": str, "edit_mode": str},
    ),
    "Message": ({}, {}),
}

BLANKS = " \t\v\f\u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def kept(text: str) -> str:
    """Return the text without the blanks before each line's end; `\\r` alone ends a line too."""
    ends = ("\r\n", "\n", "\r")
    lines, rest = [], text
    while rest:
        at, end = min(((rest.find(end), end) for end in ends if end in rest), default=(len(rest), ""))
        lines.append(rest[:at].rstrip(BLANKS) + end)
        rest = rest[at + len(end) :]
    return "".join(lines)


def body(text: str) -> str:
    """Return what Read shows without the numbers of the lines."""
    return "\n".join(re.sub(r"^ *\d+(?:[→\t]|$)", "", shown) for shown in text.split("\n"))


def relative(path: object) -> str | None:
    """Return the path in the workspace that an argument names; None if it names none."""
    if not isinstance(path, str) or not path.startswith("$WS/"):
        return None
    folded = normpath(path.removeprefix("$WS").lstrip("/"))
    return None if folded == "." or folded.startswith("..") else folded


def followed(state: State, path: str | None) -> Seen | None:
    """Return the regular file at a path; a link leads to a path of the workspace, and not to another link."""
    seen = state.get(path) if path is not None else None
    if seen is not None and seen.target is not None:
        seen = state.get(seen.target)
    return seen if seen is not None and seen.data is not None else None


def look(root: str) -> State:
    """Return all that is in a workspace; targets of links are relative to it."""
    seen: dict[str, Seen] = {}
    _look(root, "", seen, root)
    return seen


def _look(directory: str, prefix: str, seen: dict[str, Seen], root: str) -> None:
    with os.scandir(directory) as listing:
        for found in listing:
            status = found.stat(follow_symlinks=False)
            path = prefix + found.name
            common = (stat.S_IMODE(status.st_mode), status.st_ino, status.st_mtime_ns)
            if stat.S_ISDIR(status.st_mode):
                seen[path] = Seen("directory", *common)
                _look(found.path, path + "/", seen, root)
            elif stat.S_ISLNK(status.st_mode):
                seen[path] = Seen("link", *common, target=os.readlink(found.path).removeprefix(root + "/"))
            else:
                with open(found.path, "rb") as file:
                    seen[path] = Seen("file", *common, data=file.read())
