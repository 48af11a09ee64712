"""Implementations that declare a design: correctly, wrongly, or only to avoid being judged."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import careful
from careful import RefusedError

from readfirst.harness.adapter_api import ToolResult


def declaring(does: type[careful.Careful], design: str) -> type[careful.Careful]:
    """Return an implementation that declares a design and otherwise behaves like `does`."""
    return type(does.__name__, (does,), {"design": design, "__doc__": does.__doc__})


def refusing(does: type[careful.Careful], *refusals: str) -> type[careful.Careful]:
    """Return an implementation that declares refusals and otherwise behaves like `does`."""
    return type(does.__name__, (does,), {"refuses": frozenset(refusals), "__doc__": does.__doc__})


def bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


class UngatedWriter(careful.EditsUnread, careful.WritesUnread):
    design = "ungated"


# Correct declarations: an Edit is made in the current content of a changed file; no Read is required.
ContentChecked = declaring(careful.Careful, "content-checked")
Ungated = declaring(careful.EditsUnread, "ungated")
# Wrong declarations: an Edit in old content; a Write of a changed file; a changed file is not refused.
EditsAnOldCopy = declaring(careful.EditsAnOldCopy, "content-checked")
WritesUnread = declaring(careful.WritesUnread, "content-checked")
HashesInName = declaring(careful.Careful, "hash-checked")
NotStrict = declaring(careful.Careful, "strict")
UngatedCopy = declaring(careful.EditsAnOldCopy, "ungated")
# Declarations that try to excuse an implementation that does nothing.
RefusesEverything = declaring(careful.RefusesEverything, "ungated")
DoesNothing = declaring(careful.DoesNothing, "ungated")
Undeclared = careful.Careful
# A design and a refusal that do not exist.
Unknown = declaring(careful.Careful, "loose")
DeclaresUnknown = refusing(careful.Careful, "not-utf-9")
# Declarations of some refusals by implementations that refuse as many calls, or every call.
Declares = refusing(careful.Careful, "not-utf-8", "empty-old-text")
DeclaresLinks = refusing(careful.Careful, "not-utf-8", "empty-old-text", "symbolic-link")
DeclaresTooLittle = refusing(careful.RefusesEverything, "not-utf-8", "empty-old-text")


class Narrow(careful.Careful):
    """Requires the file's line ends in an Edit of several lines. A Write creates no directory. Declares neither."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        data = bytes_of(path)
        if tool == "Edit" and b"\r\n" in data and arguments["old_string"].encode() not in data:
            raise RefusedError("The text is not there.")
        if not path.parent.is_dir():
            raise RefusedError("There is no such directory.")


class Literal(careful.Careful):
    """Refuses inexact old texts, lines below 1, read-only files, and half characters. Declares none of this."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        texts = [value for value in arguments.values() if isinstance(value, str)]
        if any(re.search("[\ud800-\udfff]", text) for text in texts):
            raise RefusedError("This is no text.")
        if tool != "Read" and path.is_file() and not path.stat().st_mode & 0o200:
            raise RefusedError("The file is read-only.")
        if tool == "Read" and min(arguments.get("offset", 1), arguments.get("limit", 1)) < 1:
            raise RefusedError("Lines count from 1.")
        if tool == "Edit" and path.is_file() and arguments["old_string"].encode() not in path.read_bytes():
            raise RefusedError("The text is not there.")


class DeclaresAndSpoils(Declares):  # type: ignore[misc, valid-type]
    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        result = super().call(tool, arguments)
        if result.is_error:
            Path(self.workspace.root, "left-over").write_text("x")
        return result


class ComparesBytes(careful.Careful):
    """Refuses to change a file whose bytes differ from those of its last Read. Does not declare this."""

    def __init__(self, workspace: Any) -> None:
        super().__init__(workspace)
        self.contents: dict[Path, bytes] = {}

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        data = bytes_of(path)
        if tool == "Read":
            self.contents[path] = data
        elif self.contents.get(path, data) != data:
            raise RefusedError("The file has changed.")


class Hashes(ComparesBytes):
    """Compares contents. Also refuses deleted and binary files, and lines past the end. Declares nothing."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        data = bytes_of(path)
        if b"\0" in data:
            raise RefusedError("The file is binary.")
        if tool == "Read" and arguments.get("offset", 1) > max(len(data.splitlines()), 1):
            raise RefusedError("The file has fewer lines.")
        if tool == "Write" and path in self.contents and not path.exists():
            raise RefusedError("The file was deleted.")
        super().check_call(tool, path, arguments)

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data)
        self.contents[path] = data


class DeclaresHashes(Hashes):
    """Behaves like `Hashes`, and declares its design and all its refusals."""

    design = "hash-checked"
    refuses = frozenset({"past-the-end", "binary-file", "changed-content", "deleted-since-read"})


class HashesAndSpoils(DeclaresHashes):
    """Behaves like `DeclaresHashes`, but leaves a new file behind after each Edit."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        if tool == "Edit":
            Path(self.workspace.root, "left-over").write_text("x")
        super().check_call(tool, path, arguments)


class RefusesWrites(careful.Careful):
    """Does not declare this refusal."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        if tool == "Write":
            raise RefusedError("no")


DeclaresNarrow = refusing(Narrow, "line-feed-for-crlf", "missing-directory")
DeclaresLiteral = refusing(Literal, "inexact-old-text", "lines-below-one", "read-only-file", "half-surrogate")
