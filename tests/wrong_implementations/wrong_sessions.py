"""Implementations in which two sessions that work in one folder are in each other's way."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult, Workspace
from readfirst.reference_impl import FileTools


class SharesWhatWasRead(Altered):
    """One memory serves all sessions of the process."""

    memories: ClassVar[dict[Path, FileTools]] = {}

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.tools = self.memories.setdefault(workspace.root, self.tools)


class WritesItsOwnCopy(Altered):
    """An Edit is made in what was read, whatever is there now."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Read":
            self.copy = path.read_text()
        answer = self.reference(tool, arguments, interfere)
        if answer.error == "modified_since_read" and tool == "Edit":
            path.write_text(self.copy.replace(arguments["old_string"], arguments["new_string"]))
            return ToolResult("Written.")
        return answer


class LocksTheFolder(Altered):
    """Who has changed a file keeps all others out until its session ends."""

    locked_by: ClassVar[Altered | None] = None

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Read":
            return self.reference(tool, arguments, interfere)
        if type(self).locked_by not in (None, self):
            return ToolResult("Another session works here.", True, "os_error")
        type(self).locked_by = self
        return self.reference(tool, arguments, interfere)

    def close(self) -> None:
        if type(self).locked_by is self:
            type(self).locked_by = None


class TakesOthersForItself(Altered):
    """What any session of the process has written counts as written by all."""

    written: ClassVar[dict[str, bytes]] = {}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Write" and path.is_file() and self.written.get(str(path)) == path.read_bytes():
            path.write_text(arguments["content"])
            answer = ToolResult("Written.")
        else:
            answer = self.reference(tool, arguments, interfere)
        if tool != "Read" and not answer.is_error:
            self.written[str(path)] = path.read_bytes()
        return answer


class AgentsShareOneMemory(Altered):
    """What one sub-agent has read, all have."""

    def background_agent(self) -> Altered:
        return self


class AgentWritesItsOwnCopy(WritesItsOwnCopy):
    """A sub-agent edits what it has read, whatever others made of it."""

    def background_agent(self) -> Altered:
        return type(self)(self.workspace)


class AgentLocksTheFolder(LocksTheFolder):
    """A sub-agent that has changed a file keeps all others out."""

    def background_agent(self) -> Altered:
        return type(self)(self.workspace)


class TakesItsAgentForItself(TakesOthersForItself):
    """What a sub-agent has edited counts as written by the session."""

    def background_agent(self) -> Altered:
        return type(self)(self.workspace)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().alter(tool, arguments, interfere)
        if tool == "Edit" and not answer.is_error:
            self.written[arguments["file_path"]] = Path(arguments["file_path"]).read_bytes()
        return answer
