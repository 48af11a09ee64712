"""Implementations with mistakes about state after a resume, a summary, a rewind and a sub-agent."""

from dataclasses import replace
from typing import Any

from altered import Agent, Altered, Arguments, caught
from reasons import NOTHING_LOST, SHOWN, TOO_CAREFUL

from readfirst.harness.adapter_api import ToolResult, Workspace

NOTHING_BROUGHT_BACK = "a rewind is no call: that nothing is brought back loses nothing"


@caught("sessions/edit-after-resume", "refused", harmless=TOO_CAREFUL)
class ForgetsOnResume(Altered):
    """Starts a resumed session with nothing read."""

    def resume(self) -> None:
        self.tools = self.fresh()


@caught("sessions/edit-unread-after-resume", "refused")
class ResumeUnlocks(Altered):
    """Takes every file of a resumed session for one that was read."""

    def resume(self) -> None:
        self.tools.resume()
        for path in self.workspace.root.iterdir():
            self.reference("Read", {"file_path": str(path)})


@caught("sessions/edit-after-compaction", "refused", harmless=TOO_CAREFUL)
class ForgetsAtCompaction(Altered):
    """Knows no file after a summary."""

    def compact(self) -> None:
        self.tools = self.fresh()


@caught("sessions/sixth-file-is-forgotten-at-compaction", "refused", harmless=NOTHING_LOST)
class KeepsAllAtCompaction(Altered):
    """Knows every file after a summary."""

    def compact(self) -> None:
        """Change nothing."""


@caught("sessions/edit-after-change-after-compaction", "refused", harmless=NOTHING_LOST)
class IsNeverStaleAfterCompaction(Altered):
    """Reads changed files again after a summary."""

    compacted = False
    known: frozenset[str] = frozenset()

    def compact(self) -> None:
        self.tools.compact()
        self.compacted = True

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        path = str(arguments["file_path"])
        if self.compacted and path in self.known:
            self.reference("Read", {"file_path": path})
        self.known |= {path}
        return super().call(tool, arguments)


@caught("sessions/agent-edits-what-was-read", "refused")
class SharesStateWithAgents(Altered):
    """Gives sub-agents the session itself."""

    def sub_agent(self) -> Altered:
        shared = Altered(self.workspace)
        shared.tools = self.tools
        return shared


@caught("sessions/agents-read-unlocks-nothing", "refused")
class TakesOverWhatAgentsRead(Altered):
    """Counts a Read by a sub-agent as a Read by the session."""

    def sub_agent(self) -> Altered:
        session = self

        class Reporting(Agent):
            def close(self) -> None:
                super().close()
                for path in self.read:
                    session.reference("Read", {"file_path": path})

        return Reporting(self)


@caught("sessions/edit-after-agents-read", "refused")
class AgentsAreBlind(Altered):
    """Forgets, after a sub-agent, the files that the session had read."""

    def sub_agent(self) -> Altered:
        agent = Agent(self)
        self.tools = self.fresh()
        return agent


@caught("rewind/edited-and-created", "path folder/new.txt", harmless=NOTHING_BROUGHT_BACK)
class RewindsNothing(Altered):
    """Takes a rewind, and leaves the files as they are."""

    def rewind(self) -> None:
        """Change nothing."""


@caught("rewind/edited-and-created", "path folder/new.txt")
class KeepsWhatItCreated(Altered):
    """Brings files back, and leaves those that were not there."""

    def rewind(self) -> None:
        files = {path: path.read_bytes() for path in self.workspace.root.rglob("*") if path.is_file()}
        self.tools.rewind()
        for path, data in files.items():
            if not path.exists():
                path.write_bytes(data)


@caught("rewind/twice", "file notes.txt", harmless=NOTHING_BROUGHT_BACK)
class RewindsOnce(Altered):
    """Takes no note of files again once it has brought them back."""

    has_rewound = False

    def rewind(self) -> None:
        if not self.has_rewound:
            self.tools.rewind()
        self.has_rewound = True


@caught("rewind/changed-by-others", "file notes.txt")
class RewindsTheWorkOfOthers(Altered):
    """Restores every file of the workspace, including changes by others."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        files = (path for path in workspace.root.rglob("*") if path.is_file())
        self.given = {path: path.read_bytes() for path in files}

    def rewind(self) -> None:
        self.tools.rewind()
        for path, data in self.given.items():
            path.write_bytes(data)


@caught("rewind/edit-without-new-read", "reminders")
class ForgetsRewoundFiles(Altered):
    """Wants files read again that a rewind brought back."""

    def rewind(self) -> None:
        self.tools.rewind()
        self.tools = self.fresh()


@caught("reminders/change-before-resume", "reminders", harmless=SHOWN)
class SaysNothingOfBreaks(Altered):
    """Does not report changes while a sub-agent worked or the session was interrupted."""

    was_away = False

    def resume(self) -> None:
        super().resume()
        self.was_away = True

    def alter(self, *call: Any) -> ToolResult:
        result = self.reference(*call)
        was_away, self.was_away = self.was_away, False
        return replace(result, reminders=()) if was_away else result
