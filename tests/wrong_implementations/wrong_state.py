"""Implementations that are wrong about what was read, and whether it still holds."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult, Workspace
from readfirst.reference_impl import FileTools

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)


class Watching(Altered):
    """Remembers every file that a call was about, with its time and bytes; `first` runs before each Edit and Write."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.seen: dict[Path, tuple[int, bytes]] = {}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        refusal = self.first(path) if tool != "Read" and path.is_file() else None
        result = refusal or self.reference(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.seen[path] = (path.stat().st_mtime_ns, path.read_bytes())
        return result

    def first(self, path: Path) -> ToolResult | None:
        raise NotImplementedError

    def read_silently(self, path: Path) -> None:
        self.reference("Read", {"file_path": str(path)})


class NoReadCheck(Watching):
    """Edits files that were never read."""

    def first(self, path: Path) -> None:
        self.read_silently(path)


class NoStalenessCheck(Watching):
    """Edits a file that has changed since it was read."""

    def first(self, path: Path) -> None:
        if path in self.seen:
            self.read_silently(path)


class ComparesContentsOnly(Watching):
    """Accepts a file that was touched after a Read, because its content is the same."""

    def first(self, path: Path) -> None:
        if path in self.seen and path.read_bytes() == self.seen[path][1]:
            self.read_silently(path)


class ComparesTimesOnly(Watching):
    """Refuses a file of its own making that was touched."""

    def first(self, path: Path) -> ToolResult | None:
        newer = path in self.seen and path.stat().st_mtime_ns > self.seen[path][0]
        return ToolResult(MODIFIED, True, "modified_since_read") if newer else None


class NoticesOlderTimes(Watching):
    """Takes an older time for a change."""

    def first(self, path: Path) -> ToolResult | None:
        older = path in self.seen and path.stat().st_mtime_ns < self.seen[path][0]
        return ToolResult(MODIFIED, True, "modified_since_read") if older else None


class PartialReadDoesNotCount(Altered):
    """Forgets a file of which only a part was read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and {"offset", "limit"} & arguments.keys():
            self.tools = self.fresh()
        return result


class RefusedReadCounts(Altered):
    """Takes a Read that failed for a Read: the file may be written afterwards."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and result.is_error:
            self.reference("Read", {**arguments, "offset": 1, "limit": 1})
        return result


class RefusalForgets(Altered):
    """Forgets what was read when a call is refused."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.is_error:
            self.tools = self.fresh()
        return result


class ForgetsAfterWrite(Altered):
    """Does not remember what it wrote."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Write":
            self.tools = self.fresh()
        return result


class ForgetsAfterEdit(Altered):
    """Does not remember what it edited."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Edit":
            self.tools = self.fresh()
        return result


class SharesStateBetweenSessions(Altered):
    """Knows in a new session what was read in an old one."""

    shared: ClassVar[dict[Path, FileTools]] = {}

    def fresh(self) -> FileTools:
        return self.shared.setdefault(self.workspace.root, super().fresh())


class KeyedByRealPath(Altered):
    """Takes a link and its target for the same file."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        given = str(arguments["file_path"])
        real = os.path.realpath(self.path(arguments))
        result = self.reference(tool, {**arguments, "file_path": real}, interfere)
        return ToolResult(result.text.replace(real, given), result.is_error, result.error)


class RaceNotChecked(Altered):
    """Does not look again between validation and execution."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        def strike_and_read() -> None:
            interfere()
            self.tools.call("Read", {"file_path": arguments["file_path"]})

        return self.reference(tool, arguments, strike_and_read)


class NeverStrikes(Altered):
    """Lets nothing happen between validation and execution: the fault of the adapter."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return self.reference(tool, arguments)


class LosesParallelUpdates(Altered):
    """Starts every call of a group from the file as it was before the group."""

    def call_parallel(self, calls: Any) -> list[ToolResult]:
        paths = {path for _, arguments in calls if (path := self.path(arguments)).is_file()}
        before = {path: path.read_bytes() for path in paths}
        results = []
        for tool, arguments in calls:
            for path, data in before.items():
                path.write_bytes(data)
                self.reference("Read", {"file_path": str(path)})
            results.append(self.reference(tool, arguments))
        return results
