"""Author: writes the steps of one crossed scenario, call by call, so that each meets the values that are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from readfirst.harness.crossing.dimensions import DIMENSIONS, STALE, WRITES, Values
from readfirst.harness.crossing.meetings import File, Files
from readfirst.harness.crossing.spelling import spelt
from readfirst.harness.suite.entry import Entry, HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, Step, ToolCall, WorldEvent
from readfirst.harness.suite.shift import Seconds

__all__ = ["Author"]

_NAMES = {
    "text": "notes.txt",
    "bare": "Makefile",
    "code": "main.py",
    "hidden": ".notes.txt",
    "spaced": "My Notes.TXT",
    "tilde": "notes.txt~",
}
_FOLDERS = {"top": "", "folder": "docs/", "deep": "a/b/c/d/e/f/"}
_TARGET = "target.txt"
_TWIN = "twin.txt"
_LINES = (
    "amber birch cedar",
    "denim fjord grove",
    "heath ivory jolly",
)
_SENTENCE = "a knoll, a lemon, a maple, an ocean, a pearl, a quilt, a river, a viola and a wagon, one beside the other"
_BEYOND_ASCII = "naïve 日本 😀"
_TIMES = 300
_LARGE = 1000
"""From so many characters on, a file is one of many lines."""
_SHIFTS: Mapping[str, Seconds] = {"second": 1, "millisecond": Fraction(1, 1000)}


class Author:
    """Writes a scenario about one file. `file` is what its calls will have met so far.

    `values` choose the file; `met` collects those of the calls that decide by what the session knows.
    """

    def __init__(self, values: Values) -> None:
        self.chosen = values
        self._path = _FOLDERS[values["depth"]] + _NAMES[values["name"]]
        self._number = 0
        self._repeated = f"line {{n}} of {'größe' if values['encoding'] == 'unicode' else 'many'}\n"
        self._entry = self._first()
        self.steps: list[Step] = []
        self.met: list[Values] = []
        self.given = Given(self._files())
        self.file: File = self._known()

    @staticmethod
    def name_of(values: Values) -> str:
        """Return the name of the file that is chosen by these values."""
        return _NAMES[values["name"]]

    @property
    def over(self) -> bool:
        """Whether the file is in an encoding that nothing marks, so that no call about it tells anything."""
        return self.file.encoding == "unmarked"

    @property
    def next_mode(self) -> str:
        """The mode that a change of it gives the file."""
        modes = tuple(DIMENSIONS["mode"].values)
        return modes[(modes.index(self.file.mode) + 1) % len(modes)]

    def read(self, known: str, spelling: str = "plain") -> None:
        """Add a Read of the whole file or of a range of its lines."""
        arguments: dict[str, Any] = {"file_path": spelt(self._path, spelling)}
        if known == "range":
            arguments |= {"offset": 1, "limit": 2}
        self._call("Read", arguments, None)

    def refused(self, reason: str, spelling: str) -> bool:
        """Add an Edit that is refused for a reason that has nothing to do with what the session knows.

        False, and nothing, if the file as it is gives no such reason.
        """
        word = self._word()
        doubled = next(
            (each for each in self.file.text if each.isalpha() and self.file.text.count(each) > 1), ""
        )
        if reason == "several" and not doubled:
            return False
        old, new = {
            "missing": ("nothing like this", "x"),
            "several": (doubled, "x"),
            "equal": (word, word),
            "arguments": (word, None),
        }[reason]
        arguments = {"file_path": spelt(self._path, spelling), "old_string": old}
        if new is not None:
            arguments["new_string"] = new
        error = {"missing": "string_not_found", "several": "multiple_matches", "equal": "no_changes"}
        self._call("Edit", arguments, error.get(reason, "invalid_arguments"))
        return True

    def change(self, since: str) -> bool:
        """Add what the world does with the file; False, and nothing, if the file as it is does not allow it."""
        path = _TARGET if self.chosen["link"] == "symbolic" else self._path
        match since:
            case "touched" | "older":
                event = WorldEvent("touch", path, mtime=2 if since == "touched" else -10)
            case "mode":
                event = WorldEvent("chmod", path, mode=int(self.next_mode, 8))
            case _:
                entry = self._changed(since)
                if entry is None:
                    return False
                event = WorldEvent("modify", path, entry, mtime=_SHIFTS.get(since, 2))
        self.steps.append(event)
        self.file.changed(event)
        return True

    def edit(self, edit: str, flag: str, spelling: str) -> bool:
        """Add an Edit or Write of that kind; False, and nothing, if the file as it is does not allow it."""
        call = None if self.over else self._edit(edit, flag, spelling)
        values = None if call is None else self.file.values(call)
        if call is None or values is None:
            return False
        self.met.append(values)
        self._call(call.tool, call.arguments, self._refusal(call.tool))
        return True

    def _refusal(self, tool: str) -> str | None:
        """Return why 2.1.7 would refuse a call: only which later calls make sense depends on it."""
        file = self.file
        if file.known == "unread":
            return "not_read"
        accepted = file.known == "own" and tool == "Edit"
        stale = file.since in STALE or (file.since == "touched" and not accepted)
        return "modified_since_read" if stale else None

    def _edit(self, edit: str, flag: str, spelling: str) -> ToolCall | None:
        arguments: dict[str, Any] = {"file_path": spelt(self._path, spelling)}
        text = self.file.text
        if edit in WRITES:
            content = {"same": text, "empty": "", "other": f"written {self._number + 1}\n"}[edit]
            if edit == "same" and len(text) > _LARGE:
                return None
            return ToolCall("Write", {**arguments, "content": content})
        strings = self._strings(edit, text)
        if strings is None or text.count(strings[0]) != 1:
            return None
        arguments |= {"old_string": strings[0], "new_string": strings[1]}
        if flag != "absent":
            arguments["replace_all"] = flag == "true"
        return ToolCall("Edit", arguments)

    def _strings(self, edit: str, text: str) -> tuple[str, str] | None:
        lines = [line for line in text.split("\n") if len(line.split()) > 1]
        if not lines:
            return None
        line = lines[self._number % len(lines)]
        first, second = line.split()[:2]
        fresh = f"new{self._number + 1}"
        match edit:
            case "word":
                return (line, f"{fresh} {second}") if len(text) > _LARGE else (second, fresh)
            case "insertion":
                return line, f"{line} {fresh}"
            case "deletion":
                return (f"{first} ", "") if len(text) <= _LARGE else (f"{line}\n", "")
            case "blanks":
                return line, f"    {line}"
            case "lines":
                at = text.find(line)
                end = text.find("\n", text.find("\n", at) + 1)
                both = text[at : end if end >= 0 else len(text)]
                return (both, f"{both.partition(chr(10))[0]}\n{fresh} in its place") if "\n" in both else None
            case _:
                if len(text) <= _LARGE:
                    long = next((each for each in lines if len(each) > 100), None)
                    return None if long is None else (long, f"{long[:20]} {fresh}")
                at = text.find(line)
                piece = text[at : text.find("\n", at + 120)]
                return (piece, f"{fresh} in place of several lines") if len(piece) > 100 else None

    def _call(self, tool: str, arguments: Mapping[str, Any], error: str | None) -> None:
        call = ToolCall(tool, arguments)
        self.steps.append(call)
        self.file.answered(call, error)
        self._number += 1

    def _known(self) -> File:
        file = Files(self.given).called(ToolCall("Read", {"file_path": f"$WS/{self._path}"}))
        if file is None:
            raise AssertionError("the file that a scenario is about is among those that are given")
        return file

    def _files(self) -> dict[str, Entry]:
        match self.chosen["link"]:
            case "symbolic":
                return {_TARGET: self._entry, self._path: Symlink(f"$WS/{_TARGET}")}
            case "hard":
                return {self._path: self._entry, _TWIN: HardLink(self._path)}
            case _:
                return {self._path: self._entry}

    def _made(self, text: str, times: int | None = None, *, given: bool = True) -> RegularFile:
        values = self.chosen
        content = TextContent(
            text,
            times,
            encoding="utf-16-le" if values["encoding"] == "utf-16" else "utf-8",
            bom=values["encoding"] in ("bom", "utf-16"),
            eol=values["ends"],
        )
        mode = int(values["mode"], 8)
        return RegularFile(content, mode if given and mode != 0o644 else None)

    def _first(self) -> RegularFile:
        """Return the file as it is given."""
        values = self.chosen
        match values["content"]:
            case "long":
                return self._made(self._repeated, _TIMES)
            case "empty":
                return self._made("")
            case content:
                beyond = (_BEYOND_ASCII,) if values["encoding"] == "unicode" else ()
                text = "\n".join((*_LINES, _SENTENCE, *beyond))
                return self._made(text if content == "open" else f"{text}\n")

    def _changed(self, since: str) -> RegularFile | None:
        """Return what somebody else writes: as many characters for `bytes`, else more; None if there is no such."""
        text = self.file.text
        if len(text) > _LARGE and since == "bytes":
            former = self._repeated
            self._repeated = (
                former.replace("line", "LINE") if "line" in former else former.replace("LINE", "line")
            )
            return self._made(self._repeated, _TIMES, given=False)
        if len(text) > _LARGE:
            self._repeated = f"{self._repeated[:-1]} {self._number}\n"
            return self._made(self._repeated, _TIMES, given=False)
        if since == "bytes":
            letter = next((each for each in text if each.isascii() and each.isalpha()), None)
            return (
                None
                if letter is None
                else self._made(text.replace(letter, letter.swapcase(), 1), given=False)
            )
        if self.chosen["content"] == "empty" and text:
            return self._made("", given=False)
        return self._made(f"somebody wrote line {self._number}\n{text}", given=False)

    def _word(self) -> str:
        return (self.file.text.split() or ["x"])[0]
