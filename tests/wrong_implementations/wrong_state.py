"""Implementations with a wrong memory of read files, or a wrong check whether a Read is still valid."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from altered import Altered, Arguments, Call, after_each_call, before_each_call, detected_by
from reasons import ALLOWED_REFUSAL, NOTHING_LOST, OWN_OR_SHOWN, SHOWN_ANOTHER_WAY

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import FileTools

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)


class Watching(Altered):
    """Remembers the time and bytes of every file after a call, and calls `check` before it changes a file."""

    def alter(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        self.seen: dict[Path, tuple[int, bytes]] = vars(self).get("seen", {})
        path = self.path(arguments)
        refusal = self.check(path) if tool != "Read" and path.is_file() else None
        result = refusal or self.reference(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.seen[path] = (path.stat().st_mtime_ns, path.read_bytes())
        return result

    def check(self, path: Path) -> ToolResult | None:
        """Return a refusal, or None if the reference should execute the call."""
        raise NotImplementedError

    def read_silently(self, path: Path) -> None:
        self.reference("Read", {"file_path": str(path)})

    def refuse_if(self, is_changed: bool) -> ToolResult | None:
        """Return the refusal of a changed file, or None."""
        return ToolResult(MODIFIED, True, "modified_since_read") if is_changed else None


@detected_by("gate/edit-unread", "refused")
class NoReadCheck(Watching):
    """Edits files that were never read."""

    def check(self, path: Path) -> None:
        self.read_silently(path)


@detected_by(
    "staleness/edit-after-change "
    "moved-world/atomic-save-before-write moved-world/atomic-save-over-an-own-edit moved-world/branch-and-back "
    "moved-world/branch-and-back-written moved-world/folder-exchanged "
    "moved-world/folder-in-between-then-other-bytes moved-world/linter-takes-an-unused-import "
    "moved-world/log-grows-between-edits moved-world/stash-takes-an-own-edit moved-world/worktree-made-anew "
    "moved-world/git-checkout moved-world/git-checkout-and-back moved-world/git-checkout-converts-line-ends "
    "moved-world/git-checkout-of-a-mode moved-world/git-rebase-with-a-conflict moved-world/git-reset "
    "moved-world/git-stash-and-pop",
    "refused",
    harmless=NOTHING_LOST,
    harmful="moved-world/atomic-save-before-write moved-world/git-reset moved-world/log-grows-between-edits",
)
class NoStalenessCheck(Watching):
    """Edits files that have changed since their Read."""

    def check(self, path: Path) -> None:
        if path in self.seen:
            self.read_silently(path)


@detected_by(
    "staleness/edit-after-touch-full-read "
    "moved-world/branch-and-back moved-world/folder-in-between moved-world/saved-in-two-steps",
    "refused",
    harmless=NOTHING_LOST,
)
class ComparesContentsOnly(Watching):
    """Accepts a file with a new modification time if its content is unchanged. The contract refuses the Edit."""

    def check(self, path: Path) -> None:
        if path in self.seen and path.read_bytes() == self.seen[path][1]:
            self.read_silently(path)


@detected_by("staleness/write-after-touch-full-read", harmless=OWN_OR_SHOWN)
class BeginsBehindATag(ComparesContentsOnly):
    """Accepts a new time of an unchanged file. A Read shows the first line of a file after a tag, on the same line."""

    def alter(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        answer = super().alter(tool, arguments, interfere)
        if tool != "Read" or answer.is_error:
            return answer
        return replace(answer, text=f"<content>{answer.text.lstrip().replace('→', ': ')}\n</content>")


@detected_by("staleness/edit-after-touch-of-own-edit", "refused", harmless=ALLOWED_REFUSAL)
class ComparesTimesOnly(Watching):
    """Refuses a file that it wrote itself if only the modification time has changed."""

    def check(self, path: Path) -> ToolResult | None:
        return self.refuse_if(path in self.seen and path.stat().st_mtime_ns > self.seen[path][0])


@detected_by(
    "staleness/older-time-other-content-edit "
    "moved-world/copied-over-with-an-older-time moved-world/mount-comes-back-after-a-write",
    "refused",
)
class NoticesOlderTimes(Watching):
    """Treats an older modification time as a change. The contract only detects newer times."""

    def check(self, path: Path) -> ToolResult | None:
        return self.refuse_if(path in self.seen and path.stat().st_mtime_ns < self.seen[path][0])


def forget(call: Call) -> None:
    call.session.tools = call.session.fresh()


@detected_by("gate/partial-read-edit-inside", "refused")
@after_each_call
def PartialReadDoesNotCount(call: Call, answer: ToolResult) -> None:
    """Forgets all Reads after a Read of a part of a file."""
    if call.tool == "Read" and {"offset", "limit"} & call.arguments.keys():
        forget(call)


@detected_by("gate/oversized-read-does-not-count", "refused")
@after_each_call
def RefusedReadCounts(call: Call, answer: ToolResult) -> None:
    """Counts a Read that failed, so that the file can be written afterwards."""
    if call.tool == "Read" and answer.is_error:
        call.execute(offset=1, limit=1)


@detected_by("matching/not-found-then-corrected", "refused")
@after_each_call
def RefusalForgets(call: Call, answer: ToolResult) -> None:
    """Forgets all Reads whenever it refuses a call."""
    if answer.is_error:
        forget(call)


@detected_by("state/write-then-edit", "refused")
@after_each_call
def ForgetsAfterWrite(call: Call, answer: ToolResult) -> None:
    """Forgets all known files after each Write."""
    if call.tool == "Write":
        forget(call)


@detected_by("state/edit-chain", "refused")
@after_each_call
def ForgetsAfterEdit(call: Call, answer: ToolResult) -> None:
    """Forgets all known files after each Edit."""
    if call.tool == "Edit":
        forget(call)


@detected_by("gate/edit-unread", "refused", after="gate/edit-after-read")
class SharesStateBetweenSessions(Altered):
    """Starts a session with the files that an earlier session in the same directory has read."""

    shared: ClassVar[dict[Path, FileTools]] = {}

    def fresh(self) -> FileTools:
        return self.shared.setdefault(self.workspace.root, super().fresh())


@detected_by("links-and-modes/read-link-edit-target", "refused", harmless=SHOWN_ANOTHER_WAY)
@before_each_call
def KeyedByRealPath(call: Call) -> ToolResult:
    """Treats a symbolic link and its target as the same file. The contract remembers them separately."""
    real = os.path.realpath(call.path)
    answer = call.execute(file_path=real)
    given = str(call.arguments["file_path"])
    return ToolResult(answer.text.replace(real, given), answer.is_error, answer.error)


@detected_by(
    "race/edit-changed-during-call "
    "moved-world/atomic-save-during-edit moved-world/atomic-save-during-write moved-world/checkout-during-edit",
    "refused",
    harmless=NOTHING_LOST,
    harmful="moved-world/atomic-save-during-write",
)
@before_each_call
def RaceNotChecked(call: Call) -> ToolResult:
    """Does not check whether a file changes between the validation and the execution of a call."""

    def interfere_and_read() -> None:
        call.interfere()
        call.session.tools.call("Read", {"file_path": call.arguments["file_path"]})

    return call.session.reference(call.tool, call.arguments, interfere_and_read)


@detected_by(
    "race/chmod-during-call", "during", blame="adapter", harmless="the adapter is wrong, not what it connects"
)
class NeverStrikes(Altered):
    """Never triggers the change by another program during a call. This is a mistake of the adapter."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Any) -> ToolResult:
        return self.reference(tool, arguments)


@detected_by("parallel/two-disjoint-edits", "file notes.txt")
class LosesParallelUpdates(Altered):
    """Executes each of several parallel calls on the old content, so that only the last change remains."""

    def call_parallel(self, calls: Any) -> list[ToolResult]:
        paths = {path for _, arguments in calls if (path := self.path(arguments)).is_file()}
        before = {path: path.read_bytes() for path in paths}
        results = []
        for tool, arguments in calls:
            for path, data in before.items():
                path.write_bytes(data)
                self.reference("Read", {"file_path": str(path)})
            results.append(self.reference(tool, arguments))
        return results
