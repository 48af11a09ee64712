"""Implementations for two processes that work at the same time. They use a wrong lock, or no lock."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from altered import Altered, Arguments

from readfirst.harness.adapter_api import ToolResult

_OWN = os.urandom(4).hex()
"""Process ids do not identify a process, because two namespaces may use the same id."""


class Locks(Altered):
    """Locks a file while it changes the file. This is correct."""

    capabilities = Altered.capabilities | {"at_once"}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        with self.hold_lock(self.path(arguments).name, fcntl.LOCK_EX):
            return self.reference(tool, arguments, interfere)

    @contextmanager
    def hold_lock(self, name: str, how: int) -> Iterator[None]:
        """Hold a lock with this name. `how`: the flags of flock."""
        lock = self.workspace.home / ".cache" / f"{name}.lock"
        lock.parent.mkdir(exist_ok=True)
        with lock.open("w") as file:
            fcntl.flock(file, how)
            yield


class LooksTwiceWithoutALock(Altered):
    """Checks again for changes just before it writes, but without a lock against another process that does the same."""

    capabilities = Locks.capabilities


class WritesWhatItRead(Altered):
    """Reads the file, and writes the changed text a moment later. It overwrites changes that were made in between."""

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
    """Uses one lock for all files, and refuses a call while another process holds the lock."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        try:
            with self.hold_lock("all", fcntl.LOCK_EX | fcntl.LOCK_NB):
                return self.reference(tool, arguments, interfere)
        except BlockingIOError:
            return ToolResult("Another session works here.", True, "os_error")


class LeavesItsLock(Locks):
    """Waits a moment if the files are locked, and then refuses the call. It never removes its own lock."""

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
    """Reports success for a call before it is executed, and then refuses it."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().alter(tool, arguments, interfere)
        return ToolResult("The file has been updated.") if tool == "Edit" else answer
