import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from altered import Altered, Call, after_each_call, before_each_call, detected_by
from reasons import NOTHING_LOST, REMINDERS_ONLY

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import CommandResult, Hook


@detected_by("hooks/exit-two-before-edit", "refused")
class RunsNone(Altered):
    """Accepts the configuration of hooks, but never runs a hook."""

    def hooks(self) -> Sequence[Hook]:
        return ()


@detected_by("hooks/exit-one-before-edit", "refused")
class EveryFailureBlocks(Altered):
    """Blocks a call if a hook ends with any exit code except 0. Only exit code 2 should block."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, run=_blocking(hook.run)) for hook in super().hooks()]


@detected_by("hooks/other-tools-hook", "refused")
class BlocksEveryTool(Altered):
    """Runs every hook for every tool, even if the hook names another tool."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, matcher="*") for hook in super().hooks()]


@detected_by("hooks/allowed-against-deny-rule", "refused")
class AllowedIsAllowed(Altered):
    """Ignores the deny rules if there are hooks, as if a hook that allows a call overrode the rules."""

    def deny(self) -> Sequence[str]:
        return () if self.workspace.hooks else super().deny()


@detected_by(
    "hooks/replaced-input",
    "file notes.txt",
    harmless="it does what the call asks, and not what a hook made of it",
)
class KeepsItsInput(Altered):
    """Ignores the replacement of a call's arguments by a hook."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, run=_without(hook.run, "updatedInput")) for hook in super().hooks()]


@detected_by("hooks/formatter-after-edit", "refused")
@before_each_call
def DistrustsFormatters(call: Call) -> ToolResult | None:
    """Refuses the second Edit of a file because a hook formatted it after the first Edit."""
    if call.tool == "Edit" and call.memory.setdefault("edited", call) is not call:
        return ToolResult("File has been modified since read.", True)
    return None


@detected_by("hooks/context-after-edit", "reminders", harmless=REMINDERS_ONLY)
@after_each_call
def SaysNothing(call: Call, answer: ToolResult) -> ToolResult:
    """Does not report messages of hooks to the model."""
    return replace(answer, reminders=())


@detected_by("hooks/blocked-after-edit", "file notes.txt")
@before_each_call
def UndoesWhatIsBlocked(call: Call) -> ToolResult:
    """Undoes a call if a hook reports an error after it. The contract keeps the change."""
    before = call.path.read_bytes()
    answer = call.execute()
    if any("blocking error" in reminder for reminder in answer.reminders):
        call.path.write_bytes(before)
    return answer


@detected_by("hooks/grown-after-read", "refused", harmless=NOTHING_LOST)
@before_each_call
def KnowsWhatItDidNotShow(call: Call) -> ToolResult:
    """Does not detect that a hook changed a file after its Read."""
    before = call.path.stat()
    answer = call.execute()
    if call.tool == "Read":
        os.utime(call.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return answer


def _blocking(run: Callable[[str], CommandResult]) -> Callable[[str], CommandResult]:
    def blocking(said: str) -> CommandResult:
        ran = run(said)
        return replace(ran, code=2) if ran.code else ran

    return blocking


def _without(run: Callable[[str], CommandResult], name: str) -> Callable[[str], CommandResult]:
    def running(said: str) -> CommandResult:
        ran = run(said)
        answer = json.loads(ran.output)
        answer["hookSpecificOutput"].pop(name, None)
        return replace(ran, output=json.dumps(answer))

    return running
