"""Implementations that two processes run at the same time, with a lock that is wrong, or with none."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from altered import Altered, Arguments

from readfirst.harness.adapter_api import ToolResult

_OWN = os.urandom(4).hex()
"""Distinguishes this process from another, which may have the same number in a separate namespace."""


class Locks(Altered):
    """Locks a file while it works on it. This is not a mistake."""

    capabilities = Altered.capabilities | {"at_once"}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        with self.locked(self.path(arguments).name, fcntl.LOCK_EX):
            return self.reference(tool, arguments, interfere)

    @contextmanager
    def locked(self, name: str, how: int) -> Iterator[None]:
        lock = self.workspace.home / ".cache" / f"{name}.lock"
        lock.parent.mkdir(exist_ok=True)
        with lock.open("w") as file:
            fcntl.flock(file, how)
            yield


class LooksTwiceWithoutALock(Altered):
    """The file is looked at once more before it is written, which another process does as well."""

    capabilities = Locks.capabilities


class WritesWhatItRead(Altered):
    """Writes the result of an edit on the content of the Read, and ignores the current file."""

    capabilities = Locks.capabilities

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool != "Edit":
            return self.reference(tool, arguments, interfere)
        text = path.read_text()
        time.sleep(0.001)
        changed = text.replace(str(arguments["old_string"]), str(arguments["new_string"]))
        made = path.with_name(f".{_OWN}")
        made.write_text(changed)
        made.rename(path)
        return ToolResult("The file has been updated.")


class LocksEverything(Locks):
    """One lock for all files, and who does not get it is refused."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        try:
            with self.locked("all", fcntl.LOCK_EX | fcntl.LOCK_NB):
                return self.reference(tool, arguments, interfere)
        except BlockingIOError:
            return ToolResult("Another session works here.", True, "os_error")


class LeavesItsLock(Locks):
    """A lock that is there is waited for, but not for long, and then the call is given up; none is taken away."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        lock = self.workspace.home / ".cache" / "owner"
        lock.parent.mkdir(exist_ok=True)
        if tool != "Read" and lock.exists() and lock.read_text() != _OWN:
            time.sleep(0.001)
            return ToolResult("Another session works here.", True, "os_error")
        if tool != "Read":
            lock.write_text(_OWN)
        return self.reference(tool, arguments, interfere)


class AnswersBeforeItIsDone(Locks):
    """Reports success for a call that is refused in the end."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().alter(tool, arguments, interfere)
        return ToolResult("The file has been updated.") if tool == "Edit" else answer
