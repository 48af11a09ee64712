"""Implementations that follow a rule except in one case, which simple cases would not detect."""

import os
from collections.abc import Callable
from pathlib import Path

from altered import (
    Altered,
    Arguments,
    Call,
    after_each_edit,
    before_each_call,
    detected_by,
    with_changed_arguments,
)
from reasons import CONVENTION, NOTHING_LOST, OWN_OR_SHOWN

from readfirst.harness.adapter_api import ToolResult, Workspace


class Excepting(Altered):
    """Executes the calls that `is_excepted` selects without a check, by reading the file first."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.known: dict[Path, int] = {}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(os.path.normpath(self.path(arguments)))
        there = os.path.isfile(path)  # noqa: PTH113, which does not fail for a long name
        if tool != "Read" and there and self.applies(path) and self.is_excepted(path, arguments):
            self.reference("Read", {"file_path": arguments["file_path"], "offset": 1, "limit": 1})
        result = self.reference(tool, arguments, interfere)
        if not result.is_error and there:
            self.known[path] = path.stat().st_mtime_ns
        return result

    def applies(self, path: Path) -> bool:
        """Whether a correct implementation would make the check for this file."""
        raise NotImplementedError

    def is_excepted(self, path: Path, arguments: Arguments) -> bool:
        """Whether this implementation leaves out the check for this file and these arguments."""
        raise NotImplementedError


class OpenGate(Excepting):
    """Requires no Read of the file in one case."""

    def applies(self, path: Path) -> bool:
        return path not in self.known


class OverlooksChanges(Excepting):
    """Does not detect in one case that a file has changed since its Read."""

    def applies(self, path: Path) -> bool:
        return path in self.known


class TakesAnyMatch(Excepting):
    """Replaces the first of several matches in one case, instead of refusing the Edit."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = Path(os.path.normpath(self.path(arguments)))
        if result.error != "multiple_matches" or not self.is_excepted(path, arguments):
            return result
        old, new = (each.encode(encoding_of(path)) for each in strings(arguments))
        mode = path.stat().st_mode
        path.chmod(mode | 0o200)
        path.write_bytes(path.read_bytes().replace(old, new, 1))
        path.chmod(mode)
        return ToolResult("The file has been updated.")


class OverlooksDenyRules(Excepting):
    """Ignores the deny rules in one case."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = Path(os.path.normpath(self.path(arguments)))
        if result.error != "permission_denied" or not path.is_file() or not self.is_excepted(path, arguments):
            return result
        return ToolResult("Done.")


@detected_by("staleness/edit-after-change-within-a-second", harmless=NOTHING_LOST)
class WholeSeconds(OverlooksChanges):
    """Compares modification times in whole seconds, so that it overlooks a change within the same second."""

    def is_excepted(self, path: Path, arguments: Arguments) -> bool:
        return path.stat().st_mtime_ns // 10**9 == self.known[path] // 10**9


@detected_by("gate/same-beginning-of-a-long-path")
class CutsPaths(OpenGate):
    """Knows a file by the first 64 characters of its path, so that a Read counts for another file with this start."""

    def is_excepted(self, path: Path, arguments: Arguments) -> bool:
        own = str(path.relative_to(self.workspace.root))[:64]
        return any(str(each.relative_to(self.workspace.root))[:64] == own for each in self.known)


@detected_by("gate/same-name-but-for-a-space")
class TrimsPaths(OpenGate):
    """Identifies a file by its path without spaces at the end, so that a Read counts for another file."""

    def is_excepted(self, path: Path, arguments: Arguments) -> bool:
        return any(str(each).rstrip() == str(path).rstrip() for each in self.known)


def keeping(size: int) -> Callable[..., ToolResult]:
    return vars(after_each_edit(lambda call, before: _truncate(call.path, size)))["alter"]  # type: ignore[no-any-return]


def _truncate(path: Path, size: int) -> None:
    if path.is_file() and path.stat().st_size > size:
        os.truncate(path, size)


@detected_by("sizes/edit-after-a-megabyte")
class KeepsAMegabyte(Altered):
    """Writes only the first megabyte of an edited file. The rest is lost."""

    alter = keeping(2**20)


@detected_by("reported/one-line-of-a-long-crlf-file")
class KeepsHalfAMegabyte(Altered):
    """Writes only the first 512 KiB of an edited file. The rest is lost."""

    alter = keeping(2**19)


@detected_by("crossed/allowed-01")
@before_each_call
def RefusesReadOnlyFiles(call: Call) -> ToolResult | None:
    """Refuses to change a file whose mode forbids writing."""
    path = call.path
    if call.tool != "Read" and os.path.isfile(path) and is_read_only(path):  # noqa: PTH113
        return ToolResult(f"EACCES: permission denied, open '{path}'", True, "os_error")
    return None


@detected_by("crossed/allowed-01")
@after_each_edit
def MakesWritable(call: Call, before: bytes) -> None:
    """Makes an edited file writable."""
    if call.path.is_file():
        call.path.chmod(call.path.stat().st_mode | 0o200)


@detected_by("replace-all/no-rescan")
@after_each_edit
def ReplacesUntilNothingIsLeft(call: Call, before: bytes) -> None:
    """With replace_all, replaces the old text again and again, also in its own result."""
    for _ in range(9):
        if call.arguments.get("replace_all") is True and call.old:
            call.path.write_bytes(call.path.read_bytes().replace(call.old.encode(), call.new.encode()))


@detected_by("whitespace/indentation-is-not-rebased")
@with_changed_arguments
def AdjustsIndentation(call: Call, text: str) -> Arguments:
    """Indents `new_string` like the first line that contains the first line of `old_string`."""
    old, new = strings(call.arguments)
    if not old or old == new:
        return {}
    line = next((line for line in text.split("\n") if old.split("\n")[0] in line), "")
    indentation = line[: len(line) - len(line.lstrip())]
    begins = line.lstrip().startswith(old.split("\n")[0].lstrip())
    return {"new_string": indentation + new.lstrip()} if begins and new and old[0] in " \t" else {}


@detected_by("matching/outside-the-range-read", level="text")
@before_each_call
def ShowsALineTooMany(call: Call) -> ToolResult | None:
    """Shows one line more than `limit` in a Read without an offset."""
    limit = call.arguments.get("limit")
    if call.tool == "Read" and "offset" not in call.arguments and isinstance(limit, int):
        return call.execute(limit=limit + 1)
    return None


@detected_by("permissions/neighbour-allowed")
@before_each_call
def ComparesPrefixes(call: Call) -> ToolResult | None:
    """Refuses a file whose path only begins like a denied directory, such as `secrets.txt` if `secret` is denied."""
    workspace = call.session.workspace
    path = str(call.arguments.get("file_path")).removeprefix(f"{workspace.root}/")
    for rule in workspace.deny if call.tool != "Read" else ():
        folder = rule.removeprefix("Edit(").removesuffix("/**)")
        if rule == f"Edit({folder}/**)" and "*" not in folder and path.startswith(folder):
            text = "File is in a directory that is denied by your permission settings."
            return ToolResult(text, True, "permission_denied")
    return None


@detected_by("whitespace/trailing-whitespace-in-markdown", harmless=CONVENTION)
@after_each_edit
def KeepsWhitespaceInMarkdown(call: Call, before: bytes) -> None:
    """Keeps spaces at line ends in Markdown, where they mean a line break. The contract strips them."""
    old, new = strings(call.arguments)
    if call.path.suffix == ".md" and old:
        call.path.write_bytes(before.replace(old.encode(), new.encode(), 1))


@detected_by("state/eleven-files-one-at-home", harmless=OWN_OR_SHOWN)
@before_each_call
def OpenGateAtHome(call: Call) -> None:
    """Requires no Read of files outside the workspace."""
    path = str(call.arguments.get("file_path"))
    if call.tool != "Read" and path.startswith("~/"):
        call.read(call.session.workspace.home / path[2:])


Excepted = Callable[[Path, Arguments], bool]


def excepting(base: type[Excepting], excepted: Excepted) -> type[Excepting]:
    """Return an implementation that follows the rule of `base`, except in the selected cases."""
    return type(base.__name__, (base,), {"is_excepted": lambda _, path, arguments: excepted(path, arguments)})


def has_mode(path: Path, bits: int) -> bool:
    return bool(path.stat().st_mode & bits)


def is_read_only(path: Path) -> bool:
    return not has_mode(path, 0o200)


def read_text(path: Path) -> str:
    data = path.read_bytes()
    encoding = "utf-16" if data.startswith(b"\xff\xfe") else "utf-8-sig"
    return data.decode(encoding, "replace").replace("\r\n", "\n")


def has_both_line_ends(path: Path) -> bool:
    data = path.read_bytes()
    return 0 < data.count(b"\r\n") < data.count(b"\n")


def encoding_of(path: Path) -> str:
    return "utf-16-le" if path.read_bytes().startswith(b"\xff\xfe") else "utf-8"


def inserts(old: str, new: str) -> bool:
    return old in new != old


def changes_white_space(old: str, new: str) -> bool:
    return old != new and old.split() == new.split()


def strings(arguments: Arguments) -> tuple[str, str]:
    """Return the old and the new text of an Edit. For every other call, two equal strings."""
    old, new = arguments.get("old_string"), arguments.get("new_string")
    return (old, new) if isinstance(old, str) and isinstance(new, str) else ("", "")
