"""Harmless, nearly harmful and harmful tools. A docstring begins with the tool's kind of harm; `Near` means none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace


class RefusedError(Exception):
    """A tool refuses a call. The text becomes the answer."""


class Careful:
    """Near: compares contents, not times. Edits the current file; a Write needs a Read of the current content."""

    capabilities = frozenset({"Read", "Edit", "Write"})
    reuses_paths = True

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.known: dict[Path, bytes] = {}

    @classmethod
    def open(cls, workspace: Workspace) -> Careful:
        return cls(workspace)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        try:
            path = Path(os.path.normpath(Path(self.workspace.root, arguments["file_path"])))
            if "secret" in path.parts and self.workspace.deny:
                raise RefusedError("a rule closes it")
            if path.exists() and not path.is_file():
                raise RefusedError("not a file")  # a pipe would wait for a writer
            self.check_call(tool, path, arguments)
            return ToolResult(getattr(self, tool.lower())(path, arguments))
        except (RefusedError, OSError, KeyError, TypeError, AttributeError, ValueError) as error:
            return ToolResult(f"{type(error).__name__}: {error}", is_error=True)

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        """Raise RefusedError if a subclass refuses the call."""

    def read(self, path: Path, arguments: Mapping[str, Any]) -> str:
        data = path.read_bytes()
        lines = data.decode().split("\n")
        start = max(int(arguments.get("offset") or 1), 1)
        limit = arguments.get("limit")
        shown = lines[start - 1 :] if limit is None else lines[start - 1 :][: max(int(limit), 0)]
        self.known[path] = data if len(shown) == len(lines) else b""
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(shown, start))

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        if path not in self.known:
            raise RefusedError("read it first")
        data = path.read_bytes()
        data.decode()
        whole = self.known[path] == data
        old, new = (str(arguments[name]).encode() for name in ("old_string", "new_string"))
        if 0 < data.count(b"\n") == data.count(b"\r\n"):
            old, new = (each.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for each in (old, new))
        count = data.count(old) if old else 0
        if count == 0 or (count > 1 and arguments.get("replace_all") is not True):
            raise RefusedError(f"the text is in {count} places")
        self.write_file(path, data.replace(old, new))
        if not whole:
            self.known[path] = b""
        return "done"

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        if path.is_symlink() or (path.exists() and self.known.get(path) != path.read_bytes()):
            raise RefusedError("read it first")
        content = arguments["content"]
        if not isinstance(content, str):
            raise RefusedError("content is no text")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write_file(path, content.encode())
        return "done"

    def write_file(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.known[path] = data


class ReplacesAtomically(Careful):
    """Near: writes a temporary file and renames it to the target. The new file gets the mode of the old file."""

    def write_file(self, path: Path, data: bytes) -> None:
        made = path.with_name(".made")
        made.write_bytes(data)
        if path.exists():
            made.chmod(path.stat().st_mode)
        made.replace(path)
        self.known[path] = data


class RefusesLinks(Careful):
    """Near: refuses every call for a symbolic link."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        if path.is_symlink():
            raise RefusedError("no links")


class EditsAnOldCopy(Careful):
    """Lost: makes an Edit in the content of the last Read, and ignores that the file has changed."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        old, new = arguments["old_string"].encode(), arguments["new_string"].encode()
        self.write_file(path, self.known.get(path, b"").replace(old, new, 1))
        return "done"


class WritesUnread(Careful):
    """Lost: a Write replaces any file, without a Read of it."""

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        self.write_file(path, str(arguments["content"]).encode())
        return "done"


class EditsUnread(Careful):
    """Blind: an Edit changes a file without a Read of it."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        self.known.setdefault(path, b"")
        return super().edit(path, arguments)


class RefusesEverything(Careful):
    """Overcautious: refuses every call."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("no", is_error=True)


class DoesNothing(Careful):
    """Untrue: reports success for every call, but changes no file."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("done")


class HasNoEdit(Careful):
    """Near: has the tools Read and Write, but no Edit."""

    capabilities = frozenset({"Read", "Write"})
