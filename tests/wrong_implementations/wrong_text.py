"""Implementations that are wrong about which text is meant, and what it becomes."""

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from altered import Altered, AlteredArguments, AlteredEdit, Arguments

from readfirst.harness.session import ToolResult


class RegularExpression(AlteredArguments):
    """Takes old_string for a regular expression."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        found = re.search(arguments["old_string"], text)
        return {"old_string": found.group() if found else arguments["old_string"]}


class ExpandsDollars(AlteredArguments):
    """Expands `$&` and `$$` in new_string."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        new = arguments["new_string"].replace("$$", "$").replace("$&", arguments["old_string"])
        return {"new_string": new}


class IgnoresCase(AlteredArguments):
    """Finds text in another case."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        found = re.search(re.escape(arguments["old_string"]), text, re.IGNORECASE)
        return {"old_string": found.group() if found else arguments["old_string"]}


class IgnoresWhitespace(AlteredArguments):
    """Finds text with other blanks between its words."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        words = [re.escape(word) for word in arguments["old_string"].split()]
        found = re.search(r"\s*" + r"\s+".join(words), text)
        return {"old_string": found.group() if found and words else arguments["old_string"]}


class NormalisesUnicode(AlteredArguments):
    """Takes composed and decomposed characters for the same."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        decomposed = unicodedata.normalize("NFD", arguments["old_string"])
        return {"old_string": decomposed if decomposed in text else arguments["old_string"]}


class UnescapesNewlines(AlteredArguments):
    """Takes a backslash and an n for a newline."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        return {name: arguments[name].replace("\\n", "\n") for name in ("old_string", "new_string")}


class DoesNotFoldQuotes(Altered):
    """Does not find straight quotes where the file has curly ones."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Edit" and arguments["old_string"] not in self.path(arguments).read_text():
            told = f"String to replace not found in file.\nString: {arguments['old_string']}"
            return ToolResult(told, True, "string_not_found")
        return self.reference(tool, arguments, interfere)


class ReplacesFirstOfSeveral(Altered):
    """Replaces the first of several matches without a word."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error != "multiple_matches":
            return result
        path = self.path(arguments)
        path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"], 1))
        return ToolResult(f"The file {arguments['file_path']} has been updated.")


class CountsOverlaps(Altered):
    """Counts matches that overlap as several."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Edit" and arguments["old_string"] and not arguments.get("replace_all"):
            text = self.path(arguments).read_text()
            count = len(re.findall(f"(?={re.escape(arguments['old_string'])})", text))
            if count > 1:
                return ToolResult(
                    f"Found {count} matches of the string to replace.", True, "multiple_matches"
                )
        return self.reference(tool, arguments, interfere)


class ReplaceAllReplacesFirst(AlteredEdit):
    """Replaces only the first occurrence although all are asked for."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if arguments.get("replace_all"):
            old, new = arguments["old_string"].encode(), arguments["new_string"].encode()
            path.write_bytes(before.replace(old, new, 1))


class ReplaceAllAlways(AlteredArguments):
    """Replaces all occurrences although one is asked for."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        return {"replace_all": True}


class RescansReplacements(AlteredEdit):
    """Replaces again what a replacement has just put there."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if arguments.get("replace_all"):
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))


class KeepsTrailingBlanks(AlteredEdit):
    """Keeps blanks at the ends of the lines of new_string."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_text(before.decode().replace(arguments["old_string"], arguments["new_string"]))


class LeavesBlankLine(AlteredEdit):
    """Leaves the line end behind when a whole line is deleted."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if not arguments["new_string"]:
            path.write_bytes(before.replace(arguments["old_string"].encode(), b"", 1))


class LosesCarriageReturns(AlteredEdit):
    """Writes an edited file with `\\n` line ends."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))


class LosesByteOrderMark(AlteredEdit):
    """Writes an edited file without its byte order mark."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


class LosesEncoding(AlteredEdit):
    """Writes a UTF-16 file as UTF-8."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if before.startswith(b"\xff\xfe"):
            path.write_bytes(path.read_bytes().decode("utf-16-le").encode())


class AddsFinalNewline(AlteredEdit):
    """Ends every edited file with a newline."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if not path.read_bytes().endswith(b"\n"):
            path.write_bytes(path.read_bytes() + b"\n")


class ConvertsWhenReading(Altered):
    """Converts line ends on disk when a file is only read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and not result.is_error:
            path = self.path(arguments)
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
        return result
