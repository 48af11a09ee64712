"""Implementations that do something to whose a file is, and to its attributes."""

import os
from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult


class LeavesItsMark(Altered):
    """Every file that it changes gets an attribute."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = self.reference(tool, arguments, interfere)
        if tool != "Read" and not answer.is_error:
            os.setxattr(arguments["file_path"], "user.edited", b"yes")
        return answer


class TakesOverWhatItRefuses(Altered):
    """The file is made its own before it is looked at."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        os.chown(arguments["file_path"], os.geteuid(), os.getegid())
        return self.reference(tool, arguments, interfere)


class TakesOverTheFolder(Altered):
    """The folder of a file is made its own, so that nobody else writes there meanwhile."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = self.reference(tool, arguments, interfere)
        if tool != "Read" and not answer.is_error:
            os.chown(Path(arguments["file_path"]).parent, os.geteuid(), os.getegid())
        return answer


class DropsAttributesWhenReading(Altered):
    """A Read puts a copy in the file's place."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = self.reference(tool, arguments, interfere)
        if tool == "Read":
            for name in os.listxattr(arguments["file_path"]):
                os.removexattr(arguments["file_path"], name)
        return answer


class WritesInPlace(Altered):
    """Not wrong: everything beside the bytes stays."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Read" or path.stat().st_mode & 0o2000:
            return self.reference(tool, arguments, interfere)
        text = path.read_text()
        if tool == "Edit":
            path.write_text(text.replace(arguments["old_string"], arguments["new_string"]))
        else:
            path.write_text(arguments["content"])
        return ToolResult("Written.")


class WritesACopy(Altered):
    """The file is another one afterwards, which belongs to whoever runs the session."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = self.reference(tool, arguments, interfere)
        if tool != "Read" and not answer.is_error:
            path = Path(arguments["file_path"])
            copy, mode = path.with_suffix(".new"), path.stat().st_mode
            copy.write_bytes(path.read_bytes())
            copy.chmod(mode & 0o7777)
            copy.replace(path)
        return answer
