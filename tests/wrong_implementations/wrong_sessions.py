"""Implementations whose sessions in the same directory affect each other."""

from pathlib import Path
from typing import Any, ClassVar

from altered import Altered, Arguments, Call, before_each_call, detected_by

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.reference_impl import FileTools


@detected_by("two-sessions/other-has-not-read")
class SharesWhatWasRead(Altered):
    """Uses one memory of read files for all sessions of the process."""

    memories: ClassVar[dict[Path, FileTools]] = {}

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.tools = self.memories.setdefault(workspace.root, self.tools)


@detected_by("two-sessions/both-read-then-edit")
@before_each_call
def WritesItsOwnCopy(call: Call) -> ToolResult:
    """Makes an Edit of a changed file in the content of the last Read, and overwrites the change."""
    if call.tool == "Read":
        call.memory[call.path] = call.path.read_text()
    answer = call.execute()
    if answer.error == "modified_since_read" and call.tool == "Edit":
        call.path.write_text(call.memory[call.path].replace(call.old, call.new))
        return ToolResult("Written.")
    return answer


@detected_by("two-sessions/different-files")
class LocksTheFolder(Altered):
    """Lets a session that has changed a file block all changes by other sessions until it ends."""

    locked_by: ClassVar[Altered | None] = None

    def alter(self, tool: str, *call: Any) -> ToolResult:
        if tool != "Read" and type(self).locked_by not in (None, self):
            return ToolResult("Another session works here.", True, "os_error")
        if tool != "Read":
            type(self).locked_by = self
        return self.reference(tool, *call)

    def close(self) -> None:
        if type(self).locked_by is self:
            type(self).locked_by = None


@detected_by("two-sessions/write-then-write-of-the-other")
class TakesOthersForItself(Altered):
    """Counts a file that one session wrote as written by every session of the process."""

    written: ClassVar[dict[str, bytes]] = {}

    def alter(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        path = self.path(arguments)
        if tool == "Write" and path.is_file() and self.written.get(str(path)) == path.read_bytes():
            path.write_text(arguments["content"])
            answer = ToolResult("Written.")
        else:
            answer = self.reference(tool, arguments, interfere)
        if tool != "Read" and not answer.is_error:
            self.written[str(path)] = path.read_bytes()
        return answer


class WithAgents(Altered):
    """Starts each sub-agent in the background as a separate session. The base class of the mistakes below."""

    def background_agent(self) -> Altered:
        return type(self)(self.workspace)


@detected_by("at-once/agent-has-not-read")
class AgentsShareOneMemory(Altered):
    """Counts a Read by a sub-agent in the background for the session and for all its sub-agents."""

    def background_agent(self) -> Altered:
        return self


@detected_by("at-once/two-agents-edit-one-file")
class AgentWritesItsOwnCopy(WithAgents, WritesItsOwnCopy):
    """Lets a sub-agent make an Edit of a changed file in the content of its last Read."""


@detected_by("at-once/two-agents-edit-two-files")
class AgentLocksTheFolder(WithAgents, LocksTheFolder):
    """Lets a sub-agent that has changed a file block all changes by others."""


@detected_by("at-once/session-and-agent-edit-one-file")
class TakesItsAgentForItself(WithAgents, TakesOthersForItself):
    """Counts a file that a sub-agent edited as written by the session."""
