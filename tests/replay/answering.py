"""Implementations that answer with their input, such as hooks and permissions.

They run in separate processes, and use only public names.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from readfirst import ToolResult, Workspace


class Telling:
    """Answers every call with `seen`. `beside` contains the reminders of each call's result."""

    capabilities = frozenset({"Read", "reminders", "parallel"})

    def __init__(self, *beside: Any) -> None:
        self.beside = list(beside) or [("$WS changed.",)]

    def open(self, workspace: Workspace) -> "Telling":
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        beside = self.beside.pop(0) if self.beside else ()
        if isinstance(beside, tuple):
            beside = tuple(
                each.replace("$WS", str(self.root)) if isinstance(each, str) else each for each in beside
            )
        return ToolResult("seen", reminders=beside)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [self.call(*call) for call in calls]


class Diary:
    """Answers every call with the list of all calls and events so far, each with the name of its session."""

    capabilities = frozenset({"Read", "resume", "compact", "rewind", "agents", "mentions"})

    def __init__(self, name: str = "main", entries: list[str] | None = None) -> None:
        self.name = name
        self.entries = [] if entries is None else entries

    def open(self, workspace: Workspace) -> "Diary":
        return Diary()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        self.entries.append(f"{self.name} {tool}")
        return ToolResult(", ".join(self.entries))

    def resume(self) -> None:
        self.entries.append(f"{self.name} resumes")

    def compact(self) -> None:
        self.entries.append(f"{self.name} is summarised")

    def rewind(self) -> None:
        self.entries.append(f"{self.name} rewinds")

    def mention(self, path: str) -> None:
        self.entries.append(
            f"{Path(path).name} is mentioned, which {'is' if Path(path).exists() else 'is not'} there"
        )

    def sub_agent(self) -> "Diary":
        return Diary("agent", self.entries)

    def close(self) -> None:
        self.entries.append(f"{self.name} ends")


class Pretends:
    """Declares capabilities of `Diary` that its session lacks."""

    capabilities = Diary.capabilities

    def open(self, workspace: Workspace) -> "Pretends":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("")


class Basic(Pretends):
    """Declares only Read, Edit and Write."""

    capabilities = frozenset({"Read", "Edit", "Write"})


class Filling:
    """Answers each call with the free and the total size of the workspace's file system."""

    capabilities = frozenset({"Read", "full_disk"})

    def open(self, workspace: Workspace) -> "Filling":
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        there = os.statvfs(self.root)
        return ToolResult(f"{there.f_frsize * there.f_bavail} of {there.f_frsize * there.f_blocks}")


class Quoting:
    """Answers each call with the commands of the workspace's hooks, as some refusals do."""

    capabilities = frozenset({"Read", "hooks"})

    def open(self, workspace: Workspace) -> "Quoting":
        self.workspace = workspace
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("|".join(hook.command for hook in self.workspace.hooks))


class Asked:
    """Answers each call with the permissions of its workspace."""

    capabilities = frozenset({"Read", "permission_modes"})

    def open(self, workspace: Workspace) -> "Asked":
        self.permissions = workspace.permissions
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult(repr(self.permissions))


class Silent:
    """Declares no capabilities, not even an empty set."""

    def open(self, workspace: Workspace) -> "Silent":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("")
