"""Implementations whose mistake begins at a size or a number of calls, or is about lines or times."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from altered import Altered, Arguments, Call, after_each_edit, before_each_call, with_changed_arguments

from readfirst.harness.adapter_api import ToolResult

Applies = Callable[["Counting", Arguments], bool]
"""Whether a session makes its mistake in a call with these arguments."""


class Counting(Altered):
    """Makes its mistake in each Edit or Write of an existing file, if `applies` is true."""

    applies: ClassVar[Applies]
    calls = 0

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.calls += 1
        changes = tool in ("Edit", "Write") and self.path(arguments).is_file()
        answer = self.mistake(tool, arguments) if changes and type(self).applies(self, arguments) else None
        return answer or self.reference(tool, arguments, interfere)

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        """Return an answer, or None if the reference should still execute the call."""
        raise NotImplementedError


def call_texts(arguments: Arguments) -> list[str]:
    """Return the old text, the new text, and the content of a call."""
    names = ("old_string", "new_string", "content")
    return [arguments[name] for name in names if isinstance(arguments.get(name), str)]


def longer_than(size: int) -> Applies:
    return lambda session, arguments: any(len(text) >= size for text in call_texts(arguments))


def has_lines(count: int) -> Applies:
    return lambda session, arguments: any(text.count("\n") + 1 >= count for text in call_texts(arguments))


def from_call(number: int) -> Applies:
    return lambda session, arguments: session.calls >= number


class NeedsNoRead(Counting):
    """Changes files that were not read, or that have changed since their Read."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        self.reference("Read", {"file_path": arguments["file_path"], "offset": 1, "limit": 1})
        return None


class TakesTheFirst(Counting):
    """Replaces the first of several matches instead of refusing the Edit."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        path, old = self.path(arguments), str(arguments.get("old_string", ""))
        text = path.read_bytes().decode(errors="surrogateescape")
        if tool != "Edit" or arguments.get("replace_all") or not old or text.count(old) < 2:
            return None
        changed = text.replace(old, str(arguments["new_string"]), 1)
        path.write_bytes(changed.encode(errors="surrogateescape"))
        return ToolResult("The file has been updated.")


class TakesTheSimilar(Counting):
    """Replaces a similar text if the old text itself does not occur."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        path, old = self.path(arguments), str(arguments.get("old_string", ""))
        if tool != "Edit" or not old:
            return None
        text = path.read_bytes().decode(errors="surrogateescape")
        if old in text:
            return None
        count = old.count("\n") + 1
        lines = text.splitlines(keepends=True)
        parts = ["".join(lines[at : at + count]).rstrip("\n") for at in range(len(lines))]
        ratios = [
            (difflib.SequenceMatcher(None, part[:600], old[:600], autojunk=False).ratio(), part)
            for part in parts
        ]
        best = max(ratios, default=(0.0, ""))
        if best[0] < 0.5:
            return None
        path.write_bytes(
            text.replace(best[1], str(arguments["new_string"]), 1).encode(errors="surrogateescape")
        )
        return ToolResult("The file has been updated.")


class Cuts(Counting):
    """Writes only the first half of a text."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        name = "content" if tool == "Write" else "new_string"
        text = str(arguments[name])
        return self.reference(tool, {**arguments, name: text[: len(text) // 2]}) if len(text) > 1 else None


class WritesLineFeeds(Counting):
    """Replaces every CRLF of the file with LF."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        result = self.reference(tool, arguments)
        path = self.path(arguments)
        if not result.is_error:
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
        return result


class ResetsModes(Counting):
    """Sets the mode of the file to the default mode."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        result = self.reference(tool, arguments)
        if not result.is_error:
            self.path(arguments).chmod(0o644)
        return result


class ForgetsDenyRules(Counting):
    """Reports success for a call that the deny rules forbid."""

    def mistake(self, tool: str, arguments: Arguments) -> ToolResult | None:
        result = self.reference(tool, arguments)
        return ToolResult("Done.") if result.error == "permission_denied" else result


_MISTAKES: tuple[tuple[type[Counting], Applies, str], ...] = (
    (NeedsNoRead, longer_than(4096), "edit-refuses-unread-file-kibibytes"),
    (NeedsNoRead, longer_than(4096), "write-refuses-unread-file-kibibytes"),
    (NeedsNoRead, has_lines(10), "edit-refuses-unread-file-lines"),
    (NeedsNoRead, from_call(10), "edit-refuses-unread-file-tenth"),
    (NeedsNoRead, from_call(10), "write-refuses-unread-file-tenth"),
    (NeedsNoRead, longer_than(40), "write-refuses-changed-file-tenth"),
    (NeedsNoRead, has_lines(10), "edit-refuses-changed-file-lines"),
    (NeedsNoRead, from_call(10), "edit-refuses-changed-file-tenth"),
    (TakesTheFirst, from_call(10), "ambiguous-match-tenth"),
    (TakesTheFirst, has_lines(10), "ambiguous-match-lines"),
    (TakesTheFirst, longer_than(4096), "ambiguous-match-kibibytes"),
    (TakesTheSimilar, has_lines(10), "missing-match-lines"),
    (Cuts, longer_than(4096), "write-is-exact-kibibytes"),
    (Cuts, has_lines(10), "write-is-exact-lines"),
    (Cuts, from_call(10), "write-is-exact-tenth"),
    (WritesLineFeeds, from_call(10), "edit-line-endings-tenth"),
    (ResetsModes, longer_than(4096), "modes-kibibytes"),
    (ResetsModes, from_call(10), "modes-tenth"),
    (ForgetsDenyRules, from_call(10), "deny-edit-tenth"),
    (ForgetsDenyRules, has_lines(10), "deny-edit-lines"),
)
"""The mistakes, each with its condition and the scenario about it."""
THRESHOLDS: Mapping[str, tuple[type[Altered], str]] = {
    f"{kind.__name__} in {slug}": (type(kind.__name__, (kind,), {"applies": staticmethod(applies)}), slug)
    for kind, applies, slug in _MISTAKES
}


def _without_equal_line(call: Call, text: str, last: bool) -> Arguments:
    """Return the new text without its last or first line, if it equals the line of the file next to the old text."""
    new, old = call.new.split("\n"), call.old
    before, found, after = text.partition(old)
    if not found or len(new) < 2:
        return {}
    if last and after.lstrip("\n").startswith(f"{new[-1]}\n"):
        return {"new_string": "\n".join(new[:-1])}
    if not last and before.endswith(f"{new[0]}\n"):
        return {"new_string": "\n".join(new[1:])}
    return {}


@with_changed_arguments
def DropsTheLastLine(call: Call, text: str) -> Arguments:
    """Omits the last line of the new text if it equals the next line of the file."""
    return _without_equal_line(call, text, True)


@with_changed_arguments
def DropsTheFirstLine(call: Call, text: str) -> Arguments:
    """Omits the first line of the new text if it equals the previous line of the file."""
    return _without_equal_line(call, text, False)


@after_each_edit
def MergesBraces(call: Call, before: bytes) -> None:
    """Removes one of two closing braces on successive lines."""
    data = call.path.read_bytes()
    call.path.write_bytes(
        re.sub(rb"(?m)^(\s*\})\n(\s*\}\n\s*\})$", rb"\2", data).replace(b"}\n}\n}", b"}\n}")
    )


@after_each_edit
def DropsEqualLines(call: Call, before: bytes) -> None:
    """Removes the second of two equal lines that follow each other."""
    lines = call.path.read_bytes().split(b"\n")
    kept = [line for at, line in enumerate(lines) if at == 0 or line != lines[at - 1] or not line]
    call.path.write_bytes(b"\n".join(kept))


@after_each_edit
def MergesBlankLines(call: Call, before: bytes) -> None:
    """Replaces several blank lines that follow each other with one."""
    call.path.write_bytes(re.sub(rb"\n{3,}", b"\n\n", call.path.read_bytes()))


@after_each_edit
def DropsLinesOfEqualWords(call: Call, before: bytes) -> None:
    """Removes a line that differs from the previous line only in its indentation."""
    lines = call.path.read_bytes().split(b"\n")
    kept = [
        line for at, line in enumerate(lines) if at == 0 or line.strip() != lines[at - 1].strip() or not line
    ]
    call.path.write_bytes(b"\n".join(kept))


NEIGHBOURS: Mapping[str, tuple[type[Altered], str]] = {
    "drops the last line": (DropsTheLastLine, "last-line-equals-next"),
    "drops the first line": (DropsTheFirstLine, "first-line-equals-previous"),
    "merges braces": (MergesBraces, "closing-brace"),
    "drops equal lines": (DropsEqualLines, "all-equals-next"),
    "merges blank lines": (MergesBlankLines, "blank-lines-around"),
    "drops lines of equal words": (DropsLinesOfEqualWords, "equal-but-for-indentation"),
}


def _mtime(path: Path) -> int:
    return int(path.stat().st_mtime)


class Timed(Altered):
    """Converts modification times wrongly, and accepts a file whose converted time is not newer."""

    def __init__(self, workspace: object) -> None:
        super().__init__(workspace)  # type: ignore[arg-type]
        self.known: dict[Path, int] = {}

    def convert_time(self, time: int) -> int:
        raise NotImplementedError

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        former = self.known.get(path)
        known = tool != "Read" and former is not None and path.is_file()
        if known and self.convert_time(_mtime(path)) <= former:
            self.reference("Read", {"file_path": str(path), "offset": 1, "limit": 1})
        result = self.reference(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.known[path] = self.convert_time(_mtime(path))
        return result


class WrapsAt2038(Timed):
    """Stores times as signed 32-bit numbers, which overflow in 2038."""

    def convert_time(self, time: int) -> int:
        return (time + 2**31) % 2**32 - 2**31


class WrapsAt2106(Timed):
    """Stores times as unsigned 32-bit numbers, which overflow in 2106."""

    def convert_time(self, time: int) -> int:
        return time % 2**32


class TakesZeroForNoTime(Timed):
    """Treats a modification time of zero or before 1970 as unknown, and then detects no change."""

    def convert_time(self, time: int) -> int:
        return time if time > 0 else 2**40

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool != "Read" and self.known.get(path) == 2**40:
            self.reference("Read", {"file_path": str(path), "offset": 1, "limit": 1})
        return super().alter(tool, arguments, interfere)


@before_each_call
def RefusesOldTimes(call: Call) -> ToolResult | None:
    """Refuses a file whose modification time is zero or before 1970."""
    is_old = os.path.isfile(call.path) and _mtime(call.path) <= 0  # noqa: PTH113
    return ToolResult("The file has no time.", True) if is_old else None


TIMES: Mapping[str, tuple[type[Altered], str]] = {
    "wraps at 2038": (WrapsAt2038, "change-passes-2038"),
    "wraps at 2106": (WrapsAt2106, "change-passes-2106"),
    "takes zero for no time": (TakesZeroForNoTime, "change-leaves-zero"),
    "takes negative times for none": (TakesZeroForNoTime, "change-stays-negative"),
    "refuses zero": (RefusesOldTimes, "edit-time-zero"),
    "refuses negative times": (RefusesOldTimes, "edit-before-1970"),
}


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    families = {"thresholds": THRESHOLDS, "literal-text": NEIGHBOURS, "staleness": TIMES}
    return {
        name: (kind, f"{family}/{slug}")
        for family, kinds in families.items()
        for name, (kind, slug) in kinds.items()
    }
