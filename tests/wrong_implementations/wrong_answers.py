"""Implementations that do the right thing to the files and tell the model something else."""

from collections.abc import Callable
from dataclasses import replace

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult


class RefusesAsSuccess(Altered):
    """Does not mark refusals as errors."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return replace(self.reference(tool, arguments, interfere), is_error=False, error=None)


class SucceedsAsError(Altered):
    """Marks everything as an error."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return replace(self.reference(tool, arguments, interfere), is_error=True)


class WrongErrorText(Altered):
    """Words its refusals politely."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, text=f"Sorry. {result.text}") if result.is_error else result


class WrongErrorName(Altered):
    """Takes a file that was not read for one that is not there, in its name for the error."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, error="file_not_found") if result.error == "not_read" else result


class WrongOrderOfChecks(Altered):
    """Looks for the text before it asks whether the file was read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool == "Edit" and path.is_file() and arguments["old_string"] not in path.read_text():
            told = f"String to replace not found in file.\nString: {arguments['old_string']}"
            return ToolResult(told, True, "string_not_found")
        return self.reference(tool, arguments, interfere)


class TabAfterLineNumber(Altered):
    """Separates line numbers by a tab."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, text=result.text.replace("→", "\t")) if tool == "Read" else result


class CountsLinesFromZero(Altered):
    """Takes offset for a number of lines to leave out."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Read" and "offset" in arguments:
            arguments = {**arguments, "offset": arguments["offset"] + 1}
        return self.reference(tool, arguments, interfere)


class HidesFinalNewline(Altered):
    """Does not show the empty last line of a file that ends in a newline."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        lines = result.text.split("\n")
        if tool == "Read" and lines[-1].endswith("→"):
            return replace(result, text="\n".join(lines[:-1]))
        return result


class CutsLongFiles(Altered):
    """Shows only the first 2,000 lines of a file."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, text="\n".join(result.text.split("\n")[:2000])) if tool == "Read" else result


class NoSnippet(Altered):
    """Answers an Edit without a snippet of the file."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return replace(result, text=result.text.partition("\n")[0]) if tool == "Edit" else result
