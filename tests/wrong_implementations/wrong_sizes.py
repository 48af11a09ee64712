"""Implementations that look at, take or write only the first part of what is large."""

from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult

_BLOCK = 65_536


class ComparesTheFirstBlock(Altered):
    """A file has changed if its first 64 KiB have."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        first = path.read_bytes()[:_BLOCK] if path.is_file() else b""
        if tool == "Read":
            self.first = first
        answer = self.reference(tool, arguments, interfere)
        if answer.error == "modified_since_read" and first == self.first:
            self.reference("Read", {"file_path": str(path), "offset": 1, "limit": 1})
            answer = self.reference(tool, arguments)
        return answer


class TakesTheFirst(Altered):
    """Of each text only the first `limit` characters arrive."""

    limit = 1_000_000

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        taken = {
            name: each[: self.limit] if isinstance(each, str) else each for name, each in arguments.items()
        }
        return self.reference(tool, taken, interfere)


class TakesFourMebibytes(TakesTheFirst):
    limit = 4 << 20


class TakesOneBlock(TakesTheFirst):
    limit = _BLOCK


class ReplacesTenThousand(Altered):
    """replace_all stops after ten thousand places."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        before = path.read_text() if tool == "Edit" else ""
        answer = self.reference(tool, arguments, interfere)
        if arguments.get("replace_all") and not answer.is_error:
            path.write_text(before.replace(arguments["old_string"], arguments["new_string"], 10_000))
        return answer
