"""Implementations with a habit that no scenario is named for: the search has to meet it by itself."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from altered import Altered, AlteredArguments, AlteredEdit, Arguments

from readfirst.harness.session import ToolResult, Workspace

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = "File has been modified since read, either by the user or by a linter."
Strike = Callable[[], None]


class GivesInTheSecondTime(Altered):
    """Refuses a file that was not read only once."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error == "not_read":
            self.reference("Read", {"file_path": arguments["file_path"]})
        return result


class EditsNothing(Altered):
    """Takes an Edit of a text by itself for done."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return ToolResult("Done.") if result.error == "no_changes" else result


class ForgetsChangedFiles(Altered):
    """Forgets a file that was changed by others."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return ToolResult(NOT_READ, True, "not_read") if result.error == "modified_since_read" else result


class TellsTheWholeFile(Altered):
    """Shows the file many times over in its errors."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if result.is_error and path.is_file():
            return replace(result, text=f"{result.text}\n{path.read_text(errors='replace') * 400}")
        return result


class DistrustsItself(Altered):
    """Takes what it has just written for a change by others."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.wrote = False

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        if self.wrote and tool == "Edit":
            self.wrote = False
            return ToolResult(MODIFIED, True, "modified_since_read")
        result = self.reference(tool, arguments, interfere)
        self.wrote = tool != "Read" and not result.is_error
        return result


class DistrustsReading(Altered):
    """Takes the reading of a file for a change."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and not result.is_error:
            later = self.path(arguments).stat().st_mtime + 1
            os.utime(self.path(arguments), (later, later))
        return result


class NeverForgives(Altered):
    """Refuses a file for ever once it was stale."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.stale: set[Path] = set()

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        if tool != "Read" and self.path(arguments) in self.stale:
            return ToolResult(MODIFIED, True, "modified_since_read")
        result = self.reference(tool, arguments, interfere)
        if result.error == "modified_since_read":
            self.stale.add(self.path(arguments))
        return result


class KeyedBySpelling(Altered):
    """Knows a file only by the spelling under which it was read."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.spelt: set[str] = set()

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        path = str(arguments["file_path"])
        if tool != "Read" and path not in self.spelt and self.path(arguments).exists():
            return ToolResult(NOT_READ, True, "not_read")
        result = self.reference(tool, arguments, interfere)
        if not result.is_error:
            self.spelt.add(path)
        return result


class CountsCallsOfAllSessions(Altered):
    """Numbers its answers."""

    calls = 0

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        CountsCallsOfAllSessions.calls += 1
        return replace(result, text=f"{result.text} ({self.calls})")


class ShowsTabsAsBlanks(Altered):
    """Shows eight blanks for a tab."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, text=result.text.expandtabs()) if tool == "Read" else result


class RefersToEarlierReads(Altered):
    """Answers a second Read by a reference to the first."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.shown: set[str] = set()

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Read" or result.is_error:
            return result
        if result.text in self.shown:
            return ToolResult("File unchanged since last read.")
        self.shown.add(result.text)
        return result


class NumbersSnippetsFromZero(Altered):
    """Counts the lines of a snippet from 0."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Edit" or result.is_error:
            return result
        head, *lines = result.text.split("\n")
        parts = [line.partition("→") for line in lines]
        renumbered = [f"{int(number) - 1:>6}→{text}" for number, arrow, text in parts if arrow]
        return replace(result, text="\n".join([head, *renumbered]))


class EatsBlankLines(AlteredEdit):
    """Removes all blank lines after a deletion."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if not arguments["new_string"]:
            path.write_bytes(path.read_bytes().replace(b"\n\n", b"\n"))


class KnowsOnlyLineFeeds(Altered):
    """Does not find a text of several lines in a file with CRLF."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        path = self.path(arguments)
        if (
            tool == "Edit"
            and "\n" in arguments["old_string"]
            and path.is_file()
            and b"\r\n" in path.read_bytes()
        ):
            return ToolResult("String to replace not found in file.", True, "string_not_found")
        return self.reference(tool, arguments, interfere)


class PutsBackTwice(AlteredArguments):
    """Puts a text that it took away before back twice."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.taken: set[str] = set()

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        new = arguments["new_string"]
        twice = new in self.taken
        self.taken.add(arguments["old_string"])
        return {"new_string": new + new} if twice else {}


class WritesOnlyAscii(AlteredEdit):
    """Writes U+FFFD for what is not ASCII."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_text(path.read_bytes().decode().encode("ascii", "replace").decode().replace("?", "\ufffd"))


class WritesTheNeighbour(Altered):
    """Touches another file of the folder too."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool != "Read" and not result.is_error:
            for other in sorted(path.parent.iterdir()):
                if other.is_file() and not other.is_symlink() and other.name != path.name:
                    other.write_bytes(other.read_bytes() + b"\n")
        return result


class AppendsWhatItWrites(Altered):
    """Puts a second Write of the same content behind the first."""

    def alter(self, tool: str, arguments: Arguments, interfere: Strike) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes() if tool == "Write" and path.is_file() else b""
        result = self.reference(tool, arguments, interfere)
        if tool == "Write" and not result.is_error and path.read_bytes() == before:
            path.write_bytes(before + before)
            self.reference("Read", {"file_path": arguments["file_path"]})
        return result
