"""Implementations whose mistake needs two circumstances."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from altered import Altered, Arguments, Call, after_each_call, before_each_call

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl.session.permission_rules import DenyRules


class DropsRulesOfAgentsAfterResume(Altered):
    """Starts sub-agents without deny rules after a resume."""

    was_resumed = False

    def resume(self) -> None:
        super().resume()
        self.was_resumed = True

    def sub_agent(self) -> Altered:
        agent = super().sub_agent()
        if self.was_resumed:
            session = agent.tools._session
            rules = DenyRules((), root=session.paths.root, home=session.paths.home)
            permissions = replace(session.permissions, rules=rules)
            agent.tools._session = replace(session, permissions=permissions)
        return agent


class DropsMarkAfterParallelCalls(Altered):
    """Saves a file without its byte order mark if two parallel calls change it."""

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        results = super().call_parallel(calls)
        paths = [self.path(arguments) for tool, arguments in calls if tool in ("Edit", "Write")]
        for path in {path for path in paths if paths.count(path) > 1}:
            path.write_bytes(path.read_bytes().removeprefix(BOM_UTF8))
        return results


@after_each_call
def SavesReplacedInputsAsUtf8(call: Call, result: ToolResult) -> None:
    """Saves a UTF-16 file as UTF-8 if a hook has replaced the arguments of the call."""
    replaced = any("updatedInput" in hook.command for hook in call.session.workspace.hooks)
    if replaced and call.tool == "Edit" and call.path.read_bytes().startswith(BOM_UTF16_LE):
        call.path.write_text(call.path.read_text("utf-16"), "utf-8")


@after_each_call
def TrimsLines(call: Call, result: ToolResult) -> None:
    """Strips whitespace at line ends of an edited file if .editorconfig requires it."""
    settings = call.session.workspace.root / ".editorconfig"
    if call.tool == "Edit" and settings.is_file() and "trim_trailing" in settings.read_text():
        call.path.write_text(re.sub(r"[ \t]+$", "", call.path.read_text(), flags=re.MULTILINE))


@before_each_call
def RefusesLongLines(call: Call) -> ToolResult | None:
    """Refuses an Edit of a file with a line of more than 2,000 characters, as if such a file were generated."""
    lines = call.path.read_text().splitlines() if call.tool == "Edit" and call.path.is_file() else []
    return ToolResult("The file is minified.", True) if any(len(line) > 2_000 for line in lines) else None


@before_each_call
def AcceptsTheNewText(call: Call) -> ToolResult | None:
    """Reports success for an Edit without the old text, if the file contains the new text of 20 or more characters."""
    text = call.path.read_text() if call.tool == "Edit" and call.path.is_file() else ""
    is_present = len(call.new) >= 20 and call.old not in text and call.new in text
    return ToolResult("The file has been updated.") if is_present else None


@before_each_call
def TrustsAfterTenEdits(call: Call) -> ToolResult | None:
    """Does not check a file for changes before a Write if the session has edited it ten times."""
    edits = call.memory.get(call.path, 0)
    call.memory[call.path] = edits + (call.tool == "Edit")
    if call.tool == "Write" and edits >= 10:
        call.session.reference("Read", {"file_path": str(call.path)})
    return None


@before_each_call
def FallsBackToTheRoot(call: Call) -> ToolResult | None:
    """Resolves a relative path from the session's first directory if the current directory lacks the file."""
    given = str(call.arguments.get("file_path", "/"))
    current = Path(call.session.tools._session.paths.root)
    is_elsewhere = not Path(given).is_absolute() and not (current / given).exists() and call.path.is_file()
    return call.execute(file_path=str(call.path)) if is_elsewhere else None


SCENARIOS: Mapping[type[Altered], str] = {
    FallsBackToTheRoot: "working-directory/missing-in-the-new-directory",
    DropsRulesOfAgentsAfterResume: "permissions/sub-agent-after-a-resume",
    DropsMarkAfterParallelCalls: "parallel/two-edits-of-a-file-with-a-mark",
    SavesReplacedInputsAsUtf8: "hooks/replaced-input-of-utf-16",
    TrimsLines: "looks/editor-config-of-trailing-whitespace",
    RefusesLongLines: "looks/line-of-3200-characters",
    AcceptsTheNewText: "matching/missing-text-with-its-replacement-present",
    TrustsAfterTenEdits: "staleness/write-after-the-tenth-edit",
}


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    return {kind.__name__: (kind, scenario) for kind, scenario in SCENARIOS.items()}
