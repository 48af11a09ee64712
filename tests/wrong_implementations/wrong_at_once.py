"""Implementations that run in two processes at the same time, with a wrong lock or without a lock."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from altered import Altered, Arguments

from readfirst.harness.adapter_api import ToolResult

_OWN = os.urandom(4).hex()
"""A random text that distinguishes this process from others, which may have the same id in a separate namespace."""


class Locks(Altered):
    """Locks a file while it changes the file. This is correct."""

    capabilities = Altered.capabilities | {"at_once"}

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        with self.hold_lock(self.path(arguments).name, fcntl.LOCK_EX):
            return self.reference(tool, arguments, interfere)

    @contextmanager
    def hold_lock(self, name: str, how: int) -> Iterator[None]:
        lock = self.workspace.home / ".cache" / f"{name}.lock"
        lock.parent.mkdir(exist_ok=True)
        with lock.open("w") as file:
            fcntl.flock(file, how)
            yield


class LooksTwiceWithoutALock(Altered):
    """Compares the file once more before writing, without a lock: another process may do the same at that moment."""

    capabilities = Locks.capabilities


class WritesWhatItRead(Altered):
    """Reads a file, replaces the text a moment later, and so overwrites changes made in between."""

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
    """Uses one lock for all files, and refuses a call if the lock is held."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        try:
            with self.hold_lock("all", fcntl.LOCK_EX | fcntl.LOCK_NB):
                return self.reference(tool, arguments, interfere)
        except BlockingIOError:
            return ToolResult("Another session works here.", True, "os_error")


class LeavesItsLock(Locks):
    """If another process has locked the files, waits a moment and refuses the call. It never removes its own lock."""

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
    """Reports success for a call that it refuses afterwards."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().alter(tool, arguments, interfere)
        return ToolResult("The file has been updated.") if tool == "Edit" else answer
