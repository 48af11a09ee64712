"""Implementations that are wrong about what commands have shown and changed."""

from collections.abc import Callable

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult


class Commanding(Altered):
    """Has `after` run when a command has ended."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Bash":
            self.after(str(arguments["command"]))
        return result

    def after(self, command: str) -> None:
        raise NotImplementedError

    def read_silently(self, command: str) -> None:
        """Read the files that a command names."""
        for word in command.replace(";", " ").split():
            if (self.workspace.root / word).is_file():
                self.reference("Read", {"file_path": str(self.workspace.root / word)})


class CatCounts(Commanding):
    """Takes a file that a command has shown for read."""

    def after(self, command: str) -> None:
        self.read_silently(command)


class OwnCommandsAreNoChanges(Commanding):
    """Takes what its own commands did to a file for known."""

    def after(self, command: str) -> None:
        if command.startswith(("sed -i", "echo")):
            self.read_silently(command)


class MentionsAreBlind(Altered):
    """Shows the model what its user mentions, and wants it read all the same."""

    def mention(self, path: str) -> None:
        pass


class MentionsUnlockEverything(Altered):
    """Counts every file as read once one was mentioned."""

    def mention(self, path: str) -> None:
        for file in self.workspace.root.iterdir():
            self.tools.mention(str(file))


class MentionsAreNeverStale(Altered):
    """Looks once more at what was mentioned before it is edited."""

    mentioned = ""

    def mention(self, path: str) -> None:
        self.mentioned = path

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if self.mentioned:
            self.tools.mention(self.mentioned)
        return self.reference(tool, arguments, interfere)


class MemoryFilesAreRead(Altered):
    """Counts a memory file as read that comes with a Read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        memory = self.path(arguments).with_name("CLAUDE.md")
        if tool == "Read" and memory.exists():
            self.tools.mention(str(memory))
        return self.reference(tool, arguments, interfere)
