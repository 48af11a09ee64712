"""Implementations that are wrong about what commands have shown and changed."""

from collections.abc import Callable

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult


class Commanding(Altered):
    """Has `after` run when a command has ended."""

    def alter(self, tool: str, arguments: Arguments, strike: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, strike)
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
