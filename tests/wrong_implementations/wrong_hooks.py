"""Implementations that are wrong about hooks."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from altered import Altered, Arguments

from readfirst.harness.session import ToolResult
from readfirst.reference_impl import Hook, Ran


class RunsNone(Altered):
    """Takes hooks and never runs them."""

    def hooks(self) -> Sequence[Hook]:
        return ()


class EveryFailureBlocks(Altered):
    """Blocks by every exit code but 0."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, run=_blocking(hook.run)) for hook in super().hooks()]


class BlocksEveryTool(Altered):
    """Runs every hook at every tool."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, matcher="*") for hook in super().hooks()]


class AllowedIsAllowed(Altered):
    """Lets a hook lift the deny rules."""

    def deny(self) -> Sequence[str]:
        return () if self.workspace.hooks else super().deny()


class KeepsItsInput(Altered):
    """Makes the call as the model wrote it."""

    def hooks(self) -> Sequence[Hook]:
        return [replace(hook, run=_without(hook.run, "updatedInput")) for hook in super().hooks()]


class DistrustsFormatters(Altered):
    """Refuses to edit a file that a hook formatted."""

    written: bytes | None = None

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if self.written is not None and tool == "Edit" and path.read_bytes() != self.written:
            return ToolResult("File has been modified since read.", True)
        result = self.reference(tool, arguments, interfere)
        if tool == "Edit":
            self.written = b""
        return result


class SaysNothing(Altered):
    """Keeps what hooks say to itself."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return replace(self.reference(tool, arguments, interfere), reminders=())


class UndoesWhatIsBlocked(Altered):
    """Takes back a call that a hook complains of afterwards."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes()
        result = self.reference(tool, arguments, interfere)
        if any("blocking error" in told for told in result.reminders):
            path.write_bytes(before)
        return result


def _blocking(run: Callable[[str], Ran]) -> Callable[[str], Ran]:
    def blocking(said: str) -> Ran:
        ran = run(said)
        return replace(ran, code=2) if ran.code else ran

    return blocking


def _without(run: Callable[[str], Ran], name: str) -> Callable[[str], Ran]:
    def running(said: str) -> Ran:
        ran = run(said)
        answer = json.loads(ran.output)
        answer["hookSpecificOutput"].pop(name, None)
        return replace(ran, output=json.dumps(answer))

    return running


class KnowsWhatItDidNotShow(Altered):
    """Counts what a hook makes of a file after its Read as read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.stat()
        result = self.reference(tool, arguments, interfere)
        if tool == "Read":
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return result
