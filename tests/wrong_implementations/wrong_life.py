"""Implementations that are wrong about what outlives a resume, a summary, a rewind and a sub-agent."""

from collections.abc import Callable
from dataclasses import replace

from altered import Agent, Altered, Arguments

from readfirst.harness.session import ToolResult, Workspace


class ForgetsOnResume(Altered):
    """Starts a resumed session with nothing read."""

    def resume(self) -> None:
        self.tools = self.fresh()


class ResumeUnlocks(Altered):
    """Takes every file of a resumed session for one that was read."""

    def resume(self) -> None:
        self.tools.resume()
        for path in self.workspace.root.iterdir():
            self.reference("Read", {"file_path": str(path)})


class ForgetsAtCompaction(Altered):
    """Knows no file after a summary."""

    def compact(self) -> None:
        self.tools = self.fresh()


class KeepsAllAtCompaction(Altered):
    """Knows every file after a summary."""

    def compact(self) -> None:
        """Change nothing."""


class IsNeverStaleAfterCompaction(Altered):
    """Reads again, after a summary, what changed since."""

    compacted = False

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.known: set[str] = set()

    def compact(self) -> None:
        self.tools.compact()
        self.compacted = True

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        path = str(arguments["file_path"])
        if self.compacted and path in self.known:
            self.reference("Read", {"file_path": path})
        self.known.add(path)
        return super().call(tool, arguments)


class SharesStateWithAgents(Altered):
    """Gives sub-agents the session itself."""

    def sub_agent(self) -> Altered:
        shared = Altered(self.workspace)
        shared.tools = self.tools
        return shared


class TakesOverWhatAgentsRead(Altered):
    """Counts what a sub-agent read as read by the session."""

    def sub_agent(self) -> Altered:
        session = self

        class Reporting(Agent):
            def close(self) -> None:
                super().close()
                for path in self.read:
                    session.reference("Read", {"file_path": path})

        return Reporting(self)


class AgentsAreBlind(Altered):
    """Forgets, after a sub-agent, what the session had read."""

    def sub_agent(self) -> Altered:
        agent = Agent(self)
        self.tools = self.fresh()
        return agent


class RewindsNothing(Altered):
    """Takes a rewind, and leaves the files as they are."""

    def rewind(self) -> None:
        """Change nothing."""


class KeepsWhatItCreated(Altered):
    """Brings files back, and leaves those that were not there."""

    def rewind(self) -> None:
        files = {path: path.read_bytes() for path in self.workspace.root.rglob("*") if path.is_file()}
        self.tools.rewind()
        for path, data in files.items():
            if not path.exists():
                path.write_bytes(data)


class RewindsOnce(Altered):
    """Takes no note of files again once it has brought them back."""

    has_rewound = False

    def rewind(self) -> None:
        if not self.has_rewound:
            self.tools.rewind()
        self.has_rewound = True


class RewindsTheWorkOfOthers(Altered):
    """Brings back every file of the workspace, whoever changed it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        files = (path for path in workspace.root.rglob("*") if path.is_file())
        self.given = {path: path.read_bytes() for path in files}

    def rewind(self) -> None:
        self.tools.rewind()
        for path, data in self.given.items():
            path.write_bytes(data)


class ForgetsRewoundFiles(Altered):
    """Wants files read again that a rewind brought back."""

    def rewind(self) -> None:
        self.tools.rewind()
        self.tools = self.fresh()


class SaysNothingOfBreaks(Altered):
    """Keeps to itself what changed while a sub-agent worked or the session was away."""

    was_away = False

    def resume(self) -> None:
        super().resume()
        self.was_away = True

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if self.was_away:
            self.was_away = False
            return replace(result, reminders=())
        return result
