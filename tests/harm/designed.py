"""Implementations that declare a design: correctly, wrongly, or only to avoid being judged."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import careful

from readfirst.harness.adapter_api import ToolResult


def declaring(design: str, does: type[careful.Careful]) -> type[careful.Careful]:
    """Return an implementation that declares a design and otherwise behaves like `does`."""
    return type(does.__name__, (does,), {"design": design, "__doc__": does.__doc__})


class UngatedWriter(careful.EditsUnread, careful.WritesUnread):
    design = "ungated"


# Correct declarations: an Edit is made in the current content of a changed file; no Read is required.
ContentChecked = declaring("content-checked", careful.Careful)
Ungated = declaring("ungated", careful.EditsUnread)
# Wrong declarations: an Edit in old content; a Write of a changed file; a changed file is not refused.
EditsAnOldCopy = declaring("content-checked", careful.EditsAnOldCopy)
WritesUnread = declaring("content-checked", careful.WritesUnread)
HashesInName = declaring("hash-checked", careful.Careful)
NotStrict = declaring("strict", careful.Careful)
UngatedCopy = declaring("ungated", careful.EditsAnOldCopy)
# Declarations that try to excuse an implementation that does nothing.
RefusesEverything = declaring("ungated", careful.RefusesEverything)
DoesNothing = declaring("ungated", careful.DoesNothing)
# A design that does not exist.
Unknown = declaring("loose", careful.Careful)


class Declares(careful.Careful):
    """Declares two refusals, and refuses only the calls that they describe."""

    refuses = frozenset({"not-utf-8", "empty-old-text"})


class DeclaresLinks(Declares):
    """Also declares that symbolic links are refused."""

    refuses = Declares.refuses | {"symbolic-link"}


class Narrow(careful.Careful):
    """Requires the file's line ends in an Edit of several lines. A Write creates no directory. Declares neither."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        data = path.read_bytes() if path.is_file() else b""
        if tool == "Edit" and b"\r\n" in data and arguments["old_string"].encode() not in data:
            return ToolResult("The text is not there.", is_error=True)
        if not path.parent.is_dir():
            return ToolResult("There is no such directory.", is_error=True)
        return super().call(tool, arguments)


class DeclaresNarrow(Narrow):
    refuses = frozenset({"line-feed-for-crlf", "missing-directory"})


class Literal(careful.Careful):
    """Refuses inexact old texts, lines below 1, read-only files, and half characters. Declares none of this."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        mode = path.stat().st_mode if path.is_file() else 0o200
        texts = [value for value in arguments.values() if isinstance(value, str)]
        if any(re.search("[\ud800-\udfff]", text) for text in texts):
            return ToolResult("This is no text.", is_error=True)
        if tool != "Read" and not mode & 0o200:
            return ToolResult("The file is read-only.", is_error=True)
        if tool == "Read" and min(arguments.get("offset", 1), arguments.get("limit", 1)) < 1:
            return ToolResult("Lines count from 1.", is_error=True)
        if tool == "Edit" and path.is_file() and arguments["old_string"].encode() not in path.read_bytes():
            return ToolResult("The text is not there.", is_error=True)
        return super().call(tool, arguments)


class DeclaresLiteral(Literal):
    refuses = frozenset({"inexact-old-text", "lines-below-one", "read-only-file", "half-surrogate"})


class DeclaresAndSpoils(Declares):
    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        result = super().call(tool, arguments)
        if result.is_error:
            Path(self.workspace.root, "left-over").write_text("x")
        return result


class DeclaresTooLittle(careful.RefusesEverything):
    """Declares two refusals, but refuses every call."""

    refuses = Declares.refuses


class DeclaresUnknown(Declares):
    refuses = frozenset({"not-utf-9"})


class ComparesBytes(careful.Careful):
    """Refuses to change a file whose bytes differ from those of its last Read. Does not declare this."""

    def __init__(self, workspace: Any) -> None:
        super().__init__(workspace)
        self.contents: dict[Path, bytes] = {}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        data = path.read_bytes() if path.is_file() else b""
        if tool == "Read":
            self.contents[path] = data
        elif self.contents.get(path, data) != data:
            return ToolResult("The file has changed.", is_error=True)
        return super().call(tool, arguments)


class Hashes(ComparesBytes):
    """Compares contents. Also refuses deleted and binary files, and lines past the end. Declares nothing."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        data = path.read_bytes() if path.is_file() else b""
        if b"\0" in data:
            return ToolResult("The file is binary.", is_error=True)
        if tool == "Read" and arguments.get("offset", 1) > max(len(data.splitlines()), 1):
            return ToolResult("The file has fewer lines.", is_error=True)
        if tool == "Write" and path in self.contents and not path.exists():
            return ToolResult("The file was deleted.", is_error=True)
        result = super().call(tool, arguments)
        if not result.is_error:
            self.contents[path] = path.read_bytes()
        return result


class DeclaresHashes(Hashes):
    """Behaves like `Hashes`, and declares its design and all its refusals."""

    design = "hash-checked"
    refuses = frozenset({"past-the-end", "binary-file", "changed-content", "deleted-since-read"})


class HashesAndSpoils(DeclaresHashes):
    """Behaves like `DeclaresHashes`, but leaves a new file behind after each Edit."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        if tool == "Edit":
            Path(self.workspace.root, "left-over").write_text("x")
        return super().call(tool, arguments)


class RefusesWrites(careful.Careful):
    """Does not declare this refusal."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("no", is_error=True) if tool == "Write" else super().call(tool, arguments)
