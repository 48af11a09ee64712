"""Implementations whose only mistake is that their answers show wrong lines."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import update_wrapper
from pathlib import Path
from typing import Any, ClassVar

from altered import Agent, Altered, Arguments, Call, after_each_call, before_each_call, detected_by
from faults_of_showing import FAULTS, lines_in, number_lines
from reasons import NOTHING_WRITTEN

from readfirst.harness.adapter_api import ToolResult, Workspace

UNCHANGED = ToolResult("The file is unchanged since it was read.")
"""Claims that the file is unchanged, without showing it."""


def _showing(name: str) -> type[Altered]:
    """Return the implementation with the fault `name` of faults_of_showing.py in every Read."""
    fault = FAULTS[name]

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        found = lines_in(result.text) if tool == "Read" and not result.is_error else None
        return result if found is None else replace(result, text=fault.change(*found))

    made = type(name, (Altered,), {"alter": alter, "__doc__": fault.description, "__module__": __name__})
    return detected_by(fault.by, "shown notes.txt", harmless=fault.harmless)(made)


def shows(act: Callable[[Call, ToolResult], ToolResult | None]) -> type[Altered]:
    """Decorator: calls `act` after each successful Read. `act` may return a different answer."""

    def shown(call: Call, answer: ToolResult) -> ToolResult | None:
        return act(call, answer) if call.tool == "Read" and not answer.is_error else None

    return after_each_call(update_wrapper(shown, act))


globals().update({name: _showing(name) for name in FAULTS})


@detected_by("gate/read-many-then-edit-first", "shown b.txt", harmless=NOTHING_WRITTEN)
@shows
def ShowsTheFirstFile(call: Call, answer: ToolResult) -> ToolResult:
    """Shows the first file that was read in every Read."""
    return call.memory.setdefault("first", answer)


@detected_by("read-output/read-after-change", "shown notes.txt", harmless=NOTHING_WRITTEN)
@shows
def ShowsWhatItReadFirst(call: Call, answer: ToolResult) -> ToolResult:
    """Shows each file with the content of its first Read, even if the file has changed."""
    key = json.dumps(dict(call.arguments))
    return call.memory.setdefault(key, answer)


@detected_by("gate/read-many-then-edit-first", "shown b.txt", harmless=NOTHING_WRITTEN)
@shows
def ShowsTheLastFile(call: Call, answer: ToolResult) -> ToolResult:
    """Shows in each Read the answer of the previous Read."""
    before = call.memory.get("last", answer)
    call.memory["last"] = answer
    return before


@detected_by("read-output/read-after-change", "shown notes.txt", harmless=NOTHING_WRITTEN)
@shows
def SaysUnchangedWhateverHappened(call: Call, answer: ToolResult) -> ToolResult:
    """Answers every further Read of a file with the claim that the file is unchanged."""
    known = call.path in call.memory
    call.memory[call.path] = True
    return UNCHANGED if known else answer


class Remembering(Altered):
    """After `over` is set, claims in a Read that the files that it has read before are unchanged."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.read: set[str] = set()
        self.over = False

    def alter(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Read" or result.is_error:
            return result
        named = str(arguments["file_path"])
        if self.over and named in self.read:
            return UNCHANGED
        self.read.add(named)
        return result


@detected_by("sessions/edit-after-change-after-compaction", "shown notes.txt", harmless=NOTHING_WRITTEN)
class SaysUnchangedAfterCompaction(Remembering):
    """After a compaction, claims that a known file is unchanged, although the model lost its content."""

    def compact(self) -> None:
        super().compact()
        self.over = True


@detected_by("sessions/edit-after-new-change-after-resume", "shown notes.txt", harmless=NOTHING_WRITTEN)
class SaysUnchangedAfterResume(Remembering):
    """After a resume, answers a Read of a known file with the claim that it is unchanged, even if it has changed."""

    def resume(self) -> None:
        super().resume()
        self.over = True


@detected_by("rewind/twice", "shown other.txt", harmless=NOTHING_WRITTEN)
class SaysUnchangedAfterRewind(Remembering):
    """After a rewind, claims in a Read that a known file is unchanged, even if the rewind changed it."""

    def rewind(self) -> None:
        super().rewind()
        self.over = True


class _Knowing(Agent):
    """A sub-agent that answers a Read of a file that its session has read with the claim that it is unchanged."""

    def __init__(self, session: Remembering) -> None:
        super().__init__(session)
        self.known = session.read

    def alter(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and not result.is_error and str(arguments["file_path"]) in self.known:
            return UNCHANGED
        return result


@detected_by(
    "sessions/edit-after-agents-read sessions/agent-writes-what-was-read",
    "shown notes.txt",
    harmless=NOTHING_WRITTEN,
    harmful="sessions/agent-writes-what-was-read",
)
class SaysUnchangedToSubAgents(Remembering):
    """Starts sub-agents that claim that files are unchanged that only the session has read."""

    def sub_agent(self) -> Altered:
        return _Knowing(self)


@detected_by("at-once/session-and-agent-edit-one-file", "shown notes.txt", harmless=NOTHING_WRITTEN)
class SaysUnchangedToBackgroundAgents(Remembering):
    """Starts sub-agents in the background that claim that files read by the session are unchanged."""

    def background_agent(self) -> Altered:
        return _Knowing(self)


@detected_by(
    "two-sessions/same-edit-twice two-sessions/write-then-write-of-the-other",
    "shown notes.txt",
    harmless=NOTHING_WRITTEN,
    harmful="two-sessions/write-then-write-of-the-other",
)
class SaysUnchangedToOtherSessions(Remembering):
    """Tells a second session that files read by the first session are unchanged."""

    all_read: ClassVar[dict[Path, tuple[Altered, set[str]]]] = {}

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        first, read = self.all_read.setdefault(workspace.root, (self, self.read))
        self.read, self.over = read, first is not self

    def close(self) -> None:
        if self.all_read.get(self.workspace.root, (None,))[0] is self:
            del self.all_read[self.workspace.root]


@detected_by("read-output/offset-and-limit", "shown notes.txt", harmless=NOTHING_WRITTEN)
@before_each_call
def IgnoresOffset(call: Call) -> ToolResult | None:
    """Reads from the first line of the file, even if the call has an offset."""
    if call.tool == "Read" and "offset" in call.arguments and not call.execute().is_error:
        return call.execute(offset=1)
    return None


@detected_by("read-output/offset-and-limit", "shown notes.txt", harmless=NOTHING_WRITTEN)
@before_each_call
def NumbersFromOffsetButReadsFromTheStart(call: Call) -> ToolResult | None:
    """Numbers the lines from the offset, but shows the first lines of the file."""
    if call.tool == "Read" and "offset" in call.arguments and not (answer := call.execute()).is_error:
        found = lines_in(call.execute(offset=1).text)
        if found is not None:
            return replace(answer, text=number_lines(found[0], int(call.arguments["offset"])))
    return None


@detected_by("gate/write-after-read", "shown notes.txt")
@shows
def ShowsTheFolder(call: Call, answer: ToolResult) -> ToolResult:
    """Shows a list of the files in the directory instead of the content of the file."""
    return ToolResult("\n".join(sorted(each.name for each in call.path.parent.iterdir())))


@detected_by(
    "links-and-modes/read-through-symlink links-and-modes/write-through-symlink",
    "shown target.txt",
    harmless=NOTHING_WRITTEN,
    harmful="links-and-modes/write-through-symlink",
)
@shows
def ShowsWhereALinkLeads(call: Call, answer: ToolResult) -> ToolResult | None:
    """Shows the target path of a symbolic link instead of the content of the file."""
    return ToolResult(f"{call.path.name} -> {call.path.readlink()}") if call.path.is_symlink() else None


@detected_by("bash-and-mentions/cat", "shown notes.txt", harmless=NOTHING_WRITTEN)
@after_each_call
def ShowsNoOutput(call: Call, answer: ToolResult) -> ToolResult | None:
    """Reports that a command is done, but does not show its output."""
    return ToolResult("Done.") if call.tool == "Bash" and not answer.is_error else None


@detected_by("gate/partial-read-edit-outside", "shown notes.txt", harmless=NOTHING_WRITTEN)
@after_each_call
def ShowsOtherLinesAfterAnEdit(call: Call, answer: ToolResult) -> ToolResult | None:
    """Shows the first line of a file after each Edit, instead of the lines around the change."""
    if call.tool != "Edit" or answer.is_error:
        return None
    first = call.path.read_text(errors="replace").partition("\n")[0]
    return replace(answer, text=f"{answer.text.partition(chr(10))[0]}\n{number_lines([first], 1)}")


@detected_by("gate/partial-read-edit-outside", "shown notes.txt", harmless=NOTHING_WRITTEN)
@after_each_call
def ShowsNothingAfterAnEdit(call: Call, answer: ToolResult) -> ToolResult | None:
    """Answers an Edit without the lines around the change, even if the session was never shown them."""
    edits = call.tool == "Edit" and not answer.is_error
    return replace(answer, text=answer.text.partition("\n")[0]) if edits else None


@detected_by("notebooks/cell-by-number", "shown book.ipynb", harmless=NOTHING_WRITTEN)
@shows
def ShowsTagsOfCellsAlone(call: Call, answer: ToolResult) -> ToolResult:
    """Shows the cells of a notebook without their source."""
    return replace(answer, text='<cell id="cell-0"></cell id="cell-0">')


@detected_by("notebooks/read-after-notebook-edit", harmless=NOTHING_WRITTEN)
@shows
def ShowsTheFirstNotebook(call: Call, answer: ToolResult) -> ToolResult:
    """Shows the first notebook that was read in every Read."""
    return call.memory.setdefault("notebook", answer)


@detected_by("notebooks/cell-by-number", "shown book.ipynb", harmless=NOTHING_WRITTEN)
@shows
def ShowsCellsBackwards(call: Call, answer: ToolResult) -> ToolResult:
    """Shows the cells of a notebook in reverse order."""
    return replace(answer, text="\n".join(answer.text.split("\n")[::-1]))
