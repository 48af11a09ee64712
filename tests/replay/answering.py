"""Implementations whose answers show their input. They run in separate processes: only public names of readfirst."""

import os
from collections.abc import Mapping, Sequence
from functools import partialmethod
from pathlib import Path
from typing import Any

from readfirst import ToolResult, Workspace


class Silent:
    """Declares no capabilities, not even an empty set. `answer` returns the result of each call."""

    def open(self, workspace: Workspace) -> "Silent":
        self.workspace = workspace
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult(self.answer())

    def answer(self) -> str:
        return ""


class Overwrites(Silent):
    """Writes without a Read."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Write":
            path.write_text(arguments["content"])
        return ToolResult(f"1\t{path.read_text()}" if tool == "Read" else "done")


class FreeSpace(Silent):
    """Answers each call with the free space and the total size of the workspace's file system."""

    capabilities = frozenset({"Read", "full_disk"})

    def answer(self) -> str:
        disk = os.statvfs(self.workspace.root)
        return f"{disk.f_frsize * disk.f_bavail} of {disk.f_frsize * disk.f_blocks}"


class ShowsPermissions(Silent):
    capabilities = frozenset({"Read", "permission_modes"})

    def answer(self) -> str:
        return repr(self.workspace.permissions)


class Reminding(Silent):
    """Answers every call with "seen" and reminders: each argument has those of one result."""

    capabilities = frozenset({"Read", "reminders", "parallel"})

    def __init__(self, *reminders: Any) -> None:
        self.reminders = list(reminders) or [("$WS changed.",)]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        reminders = self.reminders.pop(0) if self.reminders else ()
        if isinstance(reminders, tuple):
            root = str(self.workspace.root)
            reminders = tuple(
                each.replace("$WS", root) if isinstance(each, str) else each for each in reminders
            )
        return ToolResult("seen", reminders=reminders)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [self.call(*call) for call in calls]


class CallLog:
    """Answers with a list of all calls and events so far, each with the name of its session."""

    capabilities = frozenset({"Read", "resume", "compact", "rewind", "agents", "mentions"})

    def __init__(self, name: str = "main", entries: list[str] | None = None) -> None:
        self.name = name
        self.entries = [] if entries is None else entries

    def open(self, workspace: Workspace) -> "CallLog":
        return CallLog()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        self.entries.append(f"{self.name} {tool}")
        return ToolResult(", ".join(self.entries))

    def _note(self, event: str) -> None:
        self.entries.append(f"{self.name} {event}")

    resume = partialmethod(_note, "resumes")
    compact = partialmethod(_note, "is summarised")
    rewind = partialmethod(_note, "rewinds")
    close = partialmethod(_note, "ends")

    def mention(self, path: str) -> None:
        state = "exists" if Path(path).exists() else "is missing"
        self.entries.append(f"{Path(path).name} is mentioned and {state}")

    def sub_agent(self) -> "CallLog":
        return CallLog("agent", self.entries)
