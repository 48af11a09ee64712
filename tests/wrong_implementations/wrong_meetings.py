"""Implementations whose mistake needs two circumstances, such as parallel calls together with hooks."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from altered import Agent, Altered, Arguments

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import Hook
from readfirst.reference_impl.session.hooks import Hooks, PreToolUseResult


class _FirstCallOnly(Hooks):
    """Hooks that run only for the first call of a message. `runs` selects those before or those after a call."""

    runs: ClassVar[str]
    calls = 0

    def before(self, tool: str, arguments: Mapping[str, Any]) -> PreToolUseResult:
        if self.runs == "before":
            self.calls += 1
        if self.calls > 1:
            return PreToolUseResult()
        return super().before(tool, arguments)

    def after(self, tool: str, arguments: Mapping[str, Any], answer: object, *, in_agent: bool) -> bool:
        if self.runs == "after":
            self.calls += 1
        return self.calls <= 1 and super().after(tool, arguments, answer, in_agent=in_agent)


class HooksOfTheFirstCall(Altered):
    """Runs hooks before a call only for the first of several parallel calls."""

    runs = "before"

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        session = self.tools._session
        whole = session.hooks
        if whole is not None:
            kind = type("Once", (_FirstCallOnly,), {"runs": self.runs})
            session.hooks = kind(whole.hooks, whole.behaviours, whole.reminders)
        results = super().call_parallel(calls)
        session.hooks = whole
        return results


class HooksAfterTheFirstCall(HooksOfTheFirstCall):
    """Runs hooks after a call only for the first of several parallel calls."""

    runs = "after"


class RunsNoHookBeforeNotebookEdit(Altered):
    """Runs no hook before a NotebookEdit, but before all other tools."""

    event = "PreToolUse"

    def hooks(self) -> Sequence[Hook]:
        return [
            hook
            for hook in super().hooks()
            if hook.event != self.event or not hook.runs_at(self.event, "NotebookEdit")
        ]


class RunsNoHookAfterNotebookEdit(RunsNoHookBeforeNotebookEdit):
    """Runs no hook after a NotebookEdit, but after all other tools."""

    event = "PostToolUse"


class RunsHooksOfCancelledCalls(Altered):
    """Runs hooks after a call that the user cancelled."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = super().give_up(tool, arguments, interfere)
        hooks = self.tools._session.hooks
        if hooks is not None:
            hooks.after(tool, arguments, result.text, in_agent=False)
        return result


class EditsItsCopy(Altered):
    """After three successful Edits of a file in a row, edits its own copy of the file without checking for changes."""

    tool, times = "Edit", 3

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        held: dict[Any, tuple[int, bytes]] = vars(self).setdefault("held", {})
        times, data = held.get(path, (0, b""))
        if tool == self.tool and times >= self.times and path.read_bytes() != data:
            path.write_bytes(data)
            self.reference("Read", {"file_path": str(path)})
        result = self.reference(tool, arguments, interfere)
        if tool == "Read":
            held.pop(path, None)
        elif not result.is_error:
            held[path] = times + 1, path.read_bytes()
        return result


class EditsItsCopyAfterTen(EditsItsCopy):
    """After ten successful Edits of a file in a row, edits its own copy of the file."""

    times = 10


class WritesItsCopy(EditsItsCopy):
    """After five Writes of a file in a row, writes the file without checking for changes."""

    tool, times = "Write", 5


class ForgetsOldReads(Altered):
    """Forgets the files that it read first, if the known files exceed a number of bytes or a number of files."""

    max_bytes, max_files = 16384, 10**6

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool == "Read" and path.is_file():
            sizes = vars(self).setdefault("sizes", {})
            sizes[path] = path.stat().st_size
            while sum(sizes.values()) > self.max_bytes or len(sizes) > self.max_files:
                oldest = next(iter(sizes))
                del sizes[oldest]
                self.tools._session.memory.records.forget(str(oldest))
        return result


class ForgetsAbove32Kibibytes(ForgetsOldReads):
    """Forgets the files that it read first, if the known files exceed 32 KiB."""

    max_bytes = 32768


class ForgetsAboveTwentyFiles(ForgetsOldReads):
    """Forgets the files that it read first, if it knows more than twenty files."""

    max_bytes, max_files = 10**9, 20


class StaysAfterUserMessages(Altered):
    """Stays in the directory of the last command after a user's message, as from 2.1.265 on; 2.1.7 does not."""

    def stay(self, act: Callable[[], Any]) -> Any:
        session = self.tools._session
        folder = session.paths.root
        result = act()
        session.change_directory(folder)
        return result

    def rewind(self) -> None:
        self.stay(super().rewind)

    def mention(self, path: str) -> None:
        self.stay(lambda: super(StaysAfterUserMessages, self).mention(path))

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result: ToolResult = self.stay(
            lambda: super(StaysAfterUserMessages, self).give_up(tool, arguments, interfere)
        )
        return result


def _with_directory(folder: str, arguments: Arguments, *names: str) -> Arguments:
    return {
        name: f"{folder}/{value}" if name in names and str(value)[:1] not in ("/", "~") else value
        for name, value in arguments.items()
    }


class ResolvesFromTheFirstDirectory(Altered):
    """Resolves relative paths of parallel calls from the first directory of the message, even after a `cd` in it."""

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        folder = self.tools._session.paths.root
        return super().call_parallel(
            [
                (tool, _with_directory(folder, arguments, "file_path", "notebook_path"))
                for tool, arguments in calls
            ]
        )


class NotebooksFromTheRoot(Altered):
    """Resolves relative paths of notebooks from the workspace, even after a `cd`."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        root = str(self.workspace.root)
        return self.reference(tool, _with_directory(root, arguments, "notebook_path"), interfere)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        root = str(self.workspace.root)
        return super().call_parallel(
            [(tool, _with_directory(root, each, "notebook_path")) for tool, each in calls]
        )

    def sub_agent(self) -> Altered:
        return type("Notebooks", (Agent, NotebooksFromTheRoot), {})(self)


class FollowsEveryCd(Altered):
    """Also changes its directory after a `cd` in parentheses. Such a command runs in a subshell."""

    form = r"\(\s*cd (\w+)"

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        found = re.search(self.form, str(arguments.get("command", "")))
        if tool == "Bash" and found:
            self.tools._session.change_directory(str(self.workspace.root / found[1]))
        return result


class FollowsPipes(FollowsEveryCd):
    """Also changes its directory after a `cd` in a pipe."""

    form = r"cd (\w+) \|"


class FollowsSubstitutions(FollowsEveryCd):
    """Also changes its directory after a `cd` in a command substitution."""

    form = r"\$\(cd (\w+)"


class RefusesCells(Altered):
    """Refuses a NotebookEdit if `is_refused` returns true for the new source of the cell."""

    is_refused: ClassVar[Callable[[str], bool]]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "NotebookEdit" and type(self).is_refused(str(arguments.get("new_source", ""))):
            return ToolResult("The source is refused.", True)
        return self.reference(tool, arguments, interfere)


class RefusesNewFiles(Altered):
    """Refuses to create a file if `is_refused` returns true for its path and its text."""

    is_refused: ClassVar[Callable[[str, str], bool]]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        text = str(arguments.get("content", arguments.get("new_string", "")))
        name = path.relative_to(self.workspace.root).as_posix()
        if tool != "Read" and not path.exists() and type(self).is_refused(name, text):
            return ToolResult("The file is refused.", True)
        return self.reference(tool, arguments, interfere)


def _fails(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except (SyntaxError, ValueError):
        return True
    return False


def _mostly_beyond_ascii(text: str) -> bool:
    return len(text) >= 16 and sum(character > "\x7f" for character in text) > 0.3 * len(text)


CELLS: Mapping[str, Callable[[str], bool]] = {
    "reminder-in-a-cell": lambda text: "<system-reminder>" in text,
    "cell-that-does-not-parse": lambda text: _fails(ast.parse, text),
    "merge-markers-in-a-cell": lambda text: "<<<<<<< " in text,
    "rest-of-a-cell": lambda text: "..." in text,
    "cell-beyond-ascii": _mostly_beyond_ascii,
    "magic-in-a-cell": lambda text: text.startswith(("%", "!")),
}
NEW_FILES: Mapping[str, Callable[[str, str], bool]] = {
    "new-files-that-do-not-parse": lambda path, text: path.endswith(".json") and _fails(json.loads, text),
    "new-files-that-git-ignores": lambda path, _: path.startswith("build/") or path.endswith(".log"),
}
BY_SCENARIO: Mapping[str, Sequence[type[Altered]]] = {
    "hooks/replaced-input-of-each-call": [HooksOfTheFirstCall],
    "hooks/denied-each-call": [HooksOfTheFirstCall],
    "hooks/context-after-each-call": [HooksAfterTheFirstCall],
    "hooks/exit-two-before-notebook-edit": [RunsNoHookBeforeNotebookEdit],
    "hooks/formatter-after-notebook-edit": [RunsNoHookAfterNotebookEdit],
    "hooks/given-up-after-hook": [RunsHooksOfCancelledCalls],
    "crossings/hooks-of-notebooks-group": [RunsNoHookAfterNotebookEdit, HooksAfterTheFirstCall],
    "staleness/change-after-the-third-edit": [EditsItsCopy],
    "staleness/change-after-the-tenth-edit": [EditsItsCopy, EditsItsCopyAfterTen],
    "staleness/change-after-the-fifth-write": [WritesItsCopy],
    "gate/oldest-of-forty-kibibytes": [ForgetsOldReads, ForgetsAbove32Kibibytes],
    "gate/oldest-of-thirty-files": [ForgetsAboveTwentyFiles],
    "working-directory/cd-then-rewind-and-on": [StaysAfterUserMessages],
    "working-directory/cd-then-mention": [StaysAfterUserMessages],
    "working-directory/cd-then-given-up": [StaysAfterUserMessages],
    "working-directory/cd-in-a-group": [ResolvesFromTheFirstDirectory],
    "working-directory/cd-and-back-in-a-group": [ResolvesFromTheFirstDirectory],
    "working-directory/notebook-edit-after-cd": [NotebooksFromTheRoot],
    "working-directory/notebook-edit-after-cd-in-a-group": [
        NotebooksFromTheRoot,
        ResolvesFromTheFirstDirectory,
    ],
    "working-directory/notebook-edit-after-cd-in-a-sub-agent": [NotebooksFromTheRoot],
    "working-directory/cd-in-parentheses": [FollowsEveryCd],
    "working-directory/cd-after-parentheses": [FollowsEveryCd],
    "working-directory/cd-in-a-substitution": [FollowsSubstitutions],
    "working-directory/cd-in-a-pipe": [FollowsPipes],
}
"""The other implementations of this module, by the scenario about their mistake."""


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    found = {f"{kind.__name__} in {by}": (kind, by) for by, kinds in BY_SCENARIO.items() for kind in kinds}
    for base, looks in ((RefusesCells, CELLS), (RefusesNewFiles, NEW_FILES)):
        for slug, is_refused in looks.items():
            kind = type(base.__name__, (base,), {"is_refused": staticmethod(is_refused)})
            found[f"{base.__name__} in looks/{slug}"] = (kind, f"looks/{slug}")
    return found
