"""Implementations whose mistake needs a rule or kind of file, and an event or number of calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from altered import Agent, Altered, Arguments, Call, after_each_call, before_each_call

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl.session.permission_rules import DenyRules
from readfirst.reference_impl.settings.file import SETTINGS_FILES


class IgnoresRulesWithAtSigns(Altered):
    """Ignores deny rules that contain an at sign."""

    def deny(self) -> Sequence[str]:
        return [rule for rule in super().deny() if "@" not in rule]


class LeavesMemoryFilesAtARewind(Altered):
    """A rewind does not restore CLAUDE.md files."""

    def rewind(self) -> None:
        files = [*self.workspace.root.rglob("CLAUDE.md")]
        edited = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
        super().rewind()
        for path, (data, time) in edited.items():
            path.write_bytes(data)
            os.utime(path, ns=(time, time))


class _AgentInTheCurrentDirectory(Agent):
    """A sub-agent that looks for CLAUDE.md files only below the directory of the last `cd`."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        session = self.tools._session
        memory, root = session.memory, session.memory.root
        memory.root = session.paths.root if tool == "Read" else root
        try:
            return self.reference(tool, arguments, interfere)
        finally:
            memory.root = root


class LooksForMemoryFilesBelowTheCurrentDirectory(Altered):
    """After a `cd`, sub-agents look for CLAUDE.md files only below the current directory."""

    def sub_agent(self) -> Altered:
        return _AgentInTheCurrentDirectory(self)


@before_each_call
def ForgetsRulesInADeletedDirectory(call: Call) -> ToolResult | None:
    """Ignores deny rules while the current directory does not exist."""
    session = call.session.tools._session
    if Path(session.paths.root).is_dir():
        return None
    permissions = session.permissions
    rules = DenyRules((), root=session.paths.root, home=session.paths.home)
    session.permissions = replace(permissions, rules=rules)
    try:
        return call.execute()
    finally:
        session.permissions = permissions


@before_each_call
def ReadsSettingsAfterACheckout(call: Call) -> ToolResult | None:
    """Counts settings files as read after HEAD of the repository has changed."""
    root = call.session.workspace.root
    head = root / ".git" / "HEAD"
    state = head.read_bytes() if head.is_file() else b""
    if call.memory.setdefault("head", state) != state:
        call.memory["head"] = state
        for name in SETTINGS_FILES:
            if (root / name.lstrip("/")).is_file():
                call.read(root / name.lstrip("/"))
    return None


@after_each_call
def ShowsOnlyChangedLines(call: Call, result: ToolResult) -> ToolResult | None:
    """Shows only the changed lines if a file of at least ten lines is read again."""
    if call.tool != "Read" or result.is_error:
        return None
    lines = result.text.split("\n")
    earlier = call.memory.get(call.path)
    call.memory[call.path] = lines
    if earlier is None or len(lines) < 10 or len(lines) != len(earlier) or lines == earlier:
        return None
    changed = [line for line, before in zip(lines, earlier, strict=True) if line != before]
    return replace(result, text="\n".join(changed))


@before_each_call
def SkipsEqualBeginnings(call: Call) -> ToolResult | None:
    """Reports success for a Write without writing if the first 200 characters of the file are the same."""
    text = call.path.read_text() if call.tool == "Write" and call.path.is_file() else ""
    is_similar = len(text) >= 200 and text[:200] == call.content[:200] and len(text) == len(call.content)
    return ToolResult("The file has been updated.") if is_similar else None


class DropsTheTenthNotebookEdit(Altered):
    """Does not save the tenth NotebookEdit in a row, but reports success."""

    edits = 0

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.edits = self.edits + 1 if tool == "NotebookEdit" else 0
        path = self.path(arguments)
        before = path.read_bytes() if self.edits == 10 else None
        result = self.reference(tool, arguments, interfere)
        if before is not None and not result.is_error:
            path.write_bytes(before)
        return result


class AnswersTheTenthReadFromACache(Altered):
    """Answers from the tenth Read of a file on with the ninth answer, if the size of the file is the same."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool != "Read" or result.is_error:
            return result
        cache: dict[Path, tuple[int, int, ToolResult]] = vars(self).setdefault("cache", {})
        count, size, earlier = cache.get(path, (0, -1, result))
        if count >= 9 and size == path.stat().st_size:
            return earlier
        cache[path] = count + 1, path.stat().st_size, result
        return result


class RefusesCellsInAdditionalDirectories(Altered):
    """Refuses a NotebookEdit in an additional directory."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        session: Any = self.tools._session
        permissions = session.permissions
        if tool != "NotebookEdit" or permissions.grants is None:
            return self.reference(tool, arguments, interfere)
        grants = replace(permissions.grants, directories=permissions.grants.directories[:1])
        session.permissions = replace(permissions, grants=grants)
        try:
            return self.reference(tool, arguments, interfere)
        finally:
            session.permissions = permissions


SCENARIOS: Mapping[type[Altered], str] = {
    IgnoresRulesWithAtSigns: "permissions/at-sign-in-rule",
    LeavesMemoryFilesAtARewind: "rewind/memory-file",
    LooksForMemoryFilesBelowTheCurrentDirectory: "working-directory/memory-file-edited-by-a-sub-agent",
    ForgetsRulesInADeletedDirectory: "working-directory/closed-files-after-the-directory-is-gone",
    ReadsSettingsAfterACheckout: "repositories/settings-changed-by-a-checkout",
    ShowsOnlyChangedLines: "read-output/one-line-changed-of-many",
    SkipsEqualBeginnings: "write/last-character-of-a-long-text",
    DropsTheTenthNotebookEdit: "sessions/dozen-calls-of-each-tool",
    AnswersTheTenthReadFromACache: "sessions/dozen-calls-of-each-tool",
    RefusesCellsInAdditionalDirectories: "crossings/directories-resume",
}
"""The scenario about the mistake of each implementation."""


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    """Return the implementations by name, each with the scenario about its mistake."""
    return {kind.__name__: (kind, scenario) for kind, scenario in SCENARIOS.items()}
