"""Implementations with a wrong memory of files after a resume, a compaction, a rewind or a sub-agent."""

from dataclasses import replace
from typing import Any

from altered import Agent, Altered, Arguments, detected_by
from reasons import ALLOWED_REFUSAL, NOTHING_LOST, REMINDERS_ONLY

from readfirst.harness.adapter_api import ToolResult, Workspace

NOTHING_BROUGHT_BACK = "a rewind is no call: that nothing is brought back loses nothing"
"""A missing rewind does no harm for this reason."""


@detected_by("sessions/edit-after-resume", "refused", harmless=ALLOWED_REFUSAL)
class ForgetsOnResume(Altered):
    """Forgets all Reads when a conversation is resumed."""

    def resume(self) -> None:
        self.tools = self.fresh()


@detected_by("sessions/edit-unread-after-resume", "refused")
class ResumeUnlocks(Altered):
    """Counts every file as read when a conversation is resumed."""

    def resume(self) -> None:
        self.tools.resume()
        for path in self.workspace.root.iterdir():
            self.reference("Read", {"file_path": str(path)})


@detected_by("sessions/edit-after-compaction", "refused", harmless=ALLOWED_REFUSAL)
class ForgetsAtCompaction(Altered):
    """Forgets all Reads at a compaction. The contract keeps five files."""

    def compact(self) -> None:
        self.tools = self.fresh()


@detected_by("sessions/sixth-file-is-forgotten-at-compaction", "refused", harmless=NOTHING_LOST)
class KeepsAllAtCompaction(Altered):
    """Still knows every file that was read before a compaction. The contract keeps only five files."""

    def compact(self) -> None:
        """Do nothing: all files stay known."""


@detected_by("sessions/edit-after-change-after-compaction", "refused", harmless=NOTHING_LOST)
class IsNeverStaleAfterCompaction(Altered):
    """Does not detect changes of known files after a compaction, because it reads them again before each call."""

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


@detected_by("sessions/agent-edits-what-was-read", "refused")
class SharesStateWithAgents(Altered):
    """Uses the same memory of read files for a session and its sub-agents."""

    def sub_agent(self) -> Altered:
        shared = Altered(self.workspace)
        shared.tools = self.tools
        return shared


@detected_by("sessions/agents-read-unlocks-nothing", "refused")
class TakesOverWhatAgentsRead(Altered):
    """Counts a Read by a sub-agent as a Read by its session."""

    def sub_agent(self) -> Altered:
        session = self

        class Reporting(Agent):
            def close(self) -> None:
                super().close()
                for path in self.read:
                    session.reference("Read", {"file_path": path})

        return Reporting(self)


@detected_by("sessions/edit-after-agents-read", "refused")
class AgentsAreBlind(Altered):
    """Forgets all Reads of the session when a sub-agent starts."""

    def sub_agent(self) -> Altered:
        agent = Agent(self)
        self.tools = self.fresh()
        return agent


@detected_by("rewind/edited-and-created", "path folder/new.txt", harmless=NOTHING_BROUGHT_BACK)
class RewindsNothing(Altered):
    """Accepts a rewind, but does not restore any file."""

    def rewind(self) -> None:
        """Do nothing: no file is restored."""


@detected_by("rewind/edited-and-created", "path folder/new.txt")
class KeepsWhatItCreated(Altered):
    """Restores files in a rewind, but does not delete the files that the session created."""

    def rewind(self) -> None:
        files = {path: path.read_bytes() for path in self.workspace.root.rglob("*") if path.is_file()}
        self.tools.rewind()
        for path, data in files.items():
            if not path.exists():
                path.write_bytes(data)


@detected_by("rewind/twice", "file notes.txt", harmless=NOTHING_BROUGHT_BACK)
class RewindsOnce(Altered):
    """Ignores every rewind after the first one."""

    has_rewound = False

    def rewind(self) -> None:
        if not self.has_rewound:
            self.tools.rewind()
        self.has_rewound = True


@detected_by("rewind/changed-by-others", "file notes.txt")
class RewindsTheWorkOfOthers(Altered):
    """Restores every file of the workspace in a rewind, and so undoes changes by other programs."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        files = (path for path in workspace.root.rglob("*") if path.is_file())
        self.given = {path: path.read_bytes() for path in files}

    def rewind(self) -> None:
        self.tools.rewind()
        for path, data in self.given.items():
            path.write_bytes(data)


@detected_by("rewind/edit-without-new-read", "reminders")
class ForgetsRewoundFiles(Altered):
    """Requires a new Read of every file after a rewind."""

    def rewind(self) -> None:
        self.tools.rewind()
        self.tools = self.fresh()


@detected_by("reminders/change-before-resume", "reminders", harmless=REMINDERS_ONLY)
class SaysNothingOfBreaks(Altered):
    """Does not report changes of files that happened while the conversation was interrupted."""

    was_away = False

    def resume(self) -> None:
        super().resume()
        self.was_away = True

    def alter(self, *call: Any) -> ToolResult:
        result = self.reference(*call)
        was_away, self.was_away = self.was_away, False
        return replace(result, reminders=()) if was_away else result
