"""Implementations that are wrong about what outlives a resume, a summary and a sub-agent."""

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
