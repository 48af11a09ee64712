"""Meetings: which values of the dimensions the calls of a scenario have, read from files, steps and expectations."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readfirst.harness.crossing.dimensions import STALE, Values
from readfirst.harness.suite.entry import HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall, WorldEvent

__all__ = ["File", "Files", "meetings"]

_REFUSALS = {
    "not_read": "gate",
    "modified_since_read": "gate",
    "string_not_found": "missing",
    "multiple_matches": "several",
    "no_changes": "equal",
    "invalid_arguments": "arguments",
}
_JUDGED = (None, "not_read", "modified_since_read")
"""How a call ends that was decided by what the session knows, and not by an argument before or a match after that."""
_EXTENSIONS = {"": "bare", ".py": "code", ".sh": "code"}
_LONG_FILE = 4096
_LONG_TEXT = 100


@dataclass
class File:
    """A file as the session has met it so far, in the values of the dimensions; `text` is what it holds."""

    name: str
    depth: str
    mode: str
    link: str
    encoding: str
    ends: str
    text: str
    known: str = "unread"
    since: str = "nothing"
    refused: str = "nothing"

    @property
    def content(self) -> str:
        """The value of the dimension `content`."""
        if not self.text:
            return "empty"
        if len(self.text) > _LONG_FILE:
            return "long"
        return "lines" if self.text.endswith("\n") else "open"

    def values(self, call: ToolCall) -> Values | None:
        """Return the values of a call about this file; None for one that is no whole Edit or Write.

        A file in an encoding that nothing marks is no text to most versions, and what is done to it no value.
        """
        edit = _edit(self.text, call)
        if edit is None or self.encoding == "unmarked":
            return None
        flag = call.arguments.get("replace_all")
        return {
            "name": self.name,
            "depth": self.depth,
            "mode": self.mode,
            "link": self.link,
            "encoding": self.encoding,
            "ends": self.ends,
            "content": self.content,
            "path": spelling(str(call.arguments["file_path"])),
            "edit": edit,
            "replace_all": "absent" if flag is None else "true" if flag else "false",
            "known": self.known,
            "since": self.since,
            "refused": self.refused,
        }

    def answered(self, call: ToolCall, error: str | None) -> None:
        """Follow a call about this file, by whether it was refused, and why."""
        if error is not None:
            if call.tool != "Read":
                self.refused = _REFUSALS.get(error, self.refused)
            return
        arguments = call.arguments
        self.since, self.refused = "nothing", "nothing"
        match call.tool:
            case "Read":
                ranged = "offset" in arguments or "limit" in arguments
                self.known = "range" if ranged else "whole"
            case "Write":
                self.known, self.text = "own", arguments["content"]
                if self.encoding != "utf-16":  # 2.1.7 writes no mark
                    self.encoding = "ascii" if self.text.isascii() else "unicode"
                else:
                    self.encoding = "unmarked"
            case "Edit":
                old, new = arguments["old_string"], arguments["new_string"]
                count = -1 if arguments.get("replace_all") else 1
                self.known, self.text = "own", self.text.replace(old, new, count)
            case _:
                pass

    def changed(self, event: WorldEvent) -> None:
        """Follow what the world does with this file."""
        match event.kind:
            case "modify" if isinstance(event.entry, RegularFile):
                former, self.text = len(self.text), _text(event.entry)
                if isinstance(event.entry.content, TextContent):
                    self.encoding = _encoding(event.entry.content)
                if self.since not in STALE and event.mtime is not None and event.mtime > 0:
                    self.since = (
                        "millisecond"
                        if event.mtime < 1
                        else "second"
                        if event.mtime == 1
                        else "bytes"
                        if former == len(self.text)
                        else "size"
                    )
            case "touch" if event.mtime is not None and self.since not in STALE:
                self.since = "touched" if event.mtime > 0 else "older"
            case "chmod" if event.mode is not None:
                self.mode = f"{event.mode:04o}"
                if self.since == "nothing":
                    self.since = "mode"
            case _:
                pass
        if self.known == "unread":
            self.since = "nothing"


class Files:
    """The given files of a scenario that are text, by their paths."""

    def __init__(self, given: Given) -> None:
        self._targets = {
            path: entry.target.removeprefix("$WS/")
            for path, entry in given.files.items()
            if isinstance(entry, Symlink)
        }
        hard = {entry.to for entry in given.files.values() if isinstance(entry, HardLink)}
        self._files: dict[str, File] = {}
        for path, entry in given.files.items():
            found = given.files.get(self._targets.get(path, path))
            if isinstance(found, RegularFile) and isinstance(found.content, TextContent):
                link = "symbolic" if isinstance(entry, Symlink) else "hard" if path in hard else "none"
                self._files[path] = _given(path, found, found.content, link)

    def called(self, call: ToolCall) -> File | None:
        """Return the file that a call is about, None if it is no given one."""
        path = call.arguments.get("file_path")
        if not isinstance(path, str):
            return None
        return self._files.get(posixpath.normpath(path).removeprefix("$WS/"))

    def happened(self, event: WorldEvent) -> None:
        """Follow a world event."""
        for path, file in self._files.items():
            if event.path in (path, self._targets.get(path)):
                file.changed(event)


def meetings(scenario: Scenario) -> Iterator[Values]:
    """Yield the values of each Edit and Write of a given file, by what the scenario itself expects of its calls.

    Groups of parallel calls and calls with `during` are left out: what they meet depends on more than one call.
    """
    files = Files(scenario.given)
    for step in scenario.steps:
        if isinstance(step, WorldEvent):
            files.happened(step)
        elif isinstance(step, ToolCall) and not step.during and (file := files.called(step)) is not None:
            recorded = step.expect.recorded
            error = None if recorded is None else recorded.error
            if error in _JUDGED and (values := file.values(step)) is not None:
                yield values
            file.answered(step, error)


def spelling(path: str) -> str:
    """Return the value of the dimension `path` that a path has."""
    if not path.startswith(("$WS/", "/")):
        return "relative"
    return next(
        (name for name, mark in (("up", "/../"), ("dot", "/./"), ("double", "//")) if mark in path), "plain"
    )


def _given(path: str, entry: RegularFile, content: TextContent, link: str) -> File:
    return File(
        name=_name(posixpath.basename(path)),
        depth=("top", "folder")[path.count("/")] if path.count("/") < 2 else "deep",
        mode=f"{0o644 if entry.mode is None else entry.mode:04o}",
        link=link,
        encoding=_encoding(content),
        ends="crlf" if content.eol == "crlf" else "lf",
        text=_text(entry),
    )


def _name(name: str) -> str:
    if name.startswith("."):
        return "hidden"
    if name.endswith("~"):
        return "tilde"
    if " " in name and name != name.lower():
        return "spaced"
    return _EXTENSIONS.get(posixpath.splitext(name)[1], "text")


def _encoding(content: TextContent) -> str:
    if content.encoding != "utf-8":
        return content.encoding.removesuffix("-le")
    if content.bom:
        return "bom"
    return "ascii" if content.text.isascii() else "unicode"


def _text(entry: RegularFile) -> str:
    """Return the characters of a file with `\\n` as line ends, empty for bytes that are not given as text."""
    content = entry.content
    if not isinstance(content, TextContent):
        return ""
    return TextContent(content.text, content.times).data().decode()


def _edit(text: str, call: ToolCall) -> str | None:
    arguments: Mapping[str, Any] = call.arguments
    if call.tool == "Write" and isinstance(arguments.get("content"), str):
        content = arguments["content"]
        return "same" if content == text else "other" if content else "empty"
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if call.tool != "Edit" or not isinstance(old, str) or not isinstance(new, str) or not old:
        return None
    if "".join(old.split()) == "".join(new.split()):
        return "blanks"
    if len(old) > _LONG_TEXT:
        return "long"
    if not new:
        return "deletion"
    if "\n" in old.strip("\n"):
        return "lines"
    return "insertion" if old in new else "word"
