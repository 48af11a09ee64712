"""Implementations that are wrong about what commands have shown and changed."""

from collections.abc import Callable

from altered import Altered, Arguments

from readfirst.harness.adapters.shell import Shell
from readfirst.harness.session import ToolResult
from readfirst.reference_impl import FileTools


class Commanding(Altered):
    """Runs commands, too; `after` runs when one has ended."""

    capabilities = Altered.capabilities | {"Bash"}

    def fresh(self) -> FileTools:
        shell = Shell(self.workspace.root, self.workspace.home, seconds=10)
        return FileTools(root=self.workspace.root, home=self.workspace.home, shell=shell)

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
