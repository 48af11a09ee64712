"""Implementations that are wrong about what they tell of changed files."""

from collections.abc import Callable
from dataclasses import replace

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult


class TellsNothing(Altered):
    """Notices what changed, and keeps it to itself."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return replace(self.reference(tool, arguments, interfere), reminders=())


class TellsAgain(Altered):
    """Tells of a change behind every later result, too."""

    told: tuple[str, ...] = ()

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        self.told += result.reminders
        return replace(result, reminders=self.told)


class TellsOfOwnEdits(Altered):
    """Tells of a change that the model made itself."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, reminders=("It was changed.",)) if tool == "Edit" else result


class ShowsTheFirstPlaceOnly(Altered):
    """Shows one of the places that changed."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, reminders=tuple(each.partition("\n...\n")[0] for each in result.reminders))
