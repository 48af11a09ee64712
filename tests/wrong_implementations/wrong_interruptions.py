"""Implementations that handle calls wrongly that are cancelled, cut off, or ended with the program."""

import json
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments, Call, before_each_call, detected_by
from reasons import ALLOWED_REFUSAL

from readfirst.harness.adapter_api import NO_ANSWER, ToolResult

TOO_LONG = 100_000
"""Characters that take so long to write that the program can be killed in the meantime."""


def write_later(path: Path) -> None:
    threading.Timer(0.03, lambda: path.write_text("written too late\n")).start()


@detected_by("interrupted/edit-given-up")
class ExecutesWhatWasGivenUp(Altered):
    """Confirms that a call was cancelled, but executes it."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.reference(tool, arguments)
        return answer


@detected_by("interrupted/new-file-given-up")
class GoesOnAfterwards(Altered):
    """Does not stop the thread of a cancelled call, so that it writes the file a moment later."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        write_later(self.path(arguments))
        return answer

    def close(self) -> None:
        time.sleep(0.1)


@detected_by("interrupted/write-given-up")
class EmptiesBeforeItWaits(Altered):
    """Empties the file before it asks the user for permission, and writes the file only after that."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        def empty() -> None:
            interfere()
            if self.path(arguments).exists():
                self.path(arguments).write_bytes(b"")

        return super().give_up(tool, arguments, empty)


@detected_by("interrupted/edit-given-up", harmless=ALLOWED_REFUSAL)
class ForgetsWhatItRead(Altered):
    """Forgets all Reads when the user cancels a call."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.tools = self.fresh()
        return answer


@detected_by("interrupted/new-file-given-up")
class MakesFoldersFirst(Altered):
    """Creates the directories of a new file before the user permits the call."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.path(arguments).parent.mkdir(parents=True, exist_ok=True)
        return super().give_up(tool, arguments, interfere)


@detected_by("interrupted/write-at-limit")
class DeletesWhatWasCut(Altered):
    """Deletes the file that is named in a call with cut arguments."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        for path in self.workspace.root.glob("*.txt"):
            if str(path) in text:
                path.unlink()
        return answer


@detected_by("interrupted/edit-cut")
class WritesWhatCame(Altered):
    """Completes cut arguments so that they are valid, and executes the call."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        arguments = json.loads(text + '"}')
        if tool == "Write":
            self.path(arguments).write_text(arguments["content"])
            return answer
        return self.reference(tool, arguments)


@detected_by("interrupted/new-file-cut")
class OpensWhileItComes(Altered):
    """Opens a file for writing as soon as its path has arrived, which empties the file. The content is then cut off."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        if tool == "Write":
            self.path(json.loads(text + '"}')).write_bytes(b"")
        return answer


@before_each_call
def EmptiesAndWrites(call: Call) -> ToolResult | None:
    """Empties the file first, and then writes it in pieces. If it is killed, the content is lost."""
    if len(call.content) < TOO_LONG:
        return None
    with call.path.open("w") as file:
        for start in range(0, len(call.content), TOO_LONG // 2):
            file.write(call.content[start : start + TOO_LONG // 2])
            file.flush()
            time.sleep(0.5)
    return ToolResult("Written.")


@before_each_call
def LeavesALock(call: Call) -> ToolResult | None:
    """Refuses calls while a lock exists. If its process is killed, its lock remains."""
    lock = call.session.workspace.home / ".cache" / "lock"
    if call.tool == "Read":
        return None
    if lock.exists():
        return ToolResult("Somebody else works on the file.", True, "os_error")
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    try:
        return call.execute()
    finally:
        lock.unlink()


@before_each_call
def BacksUpAndMoves(call: Call) -> ToolResult | None:
    """Renames the old file before it writes the new one. If it is killed, no file remains at the path."""
    if len(call.content) < TOO_LONG:
        return None
    path = call.path
    path.rename(path.with_suffix(".bak"))
    (path.parent / "begun").touch()
    time.sleep(5)
    path.write_text(call.content)
    return ToolResult("Written.")


@before_each_call
def HurriesWhenItIsToEnd(call: Call) -> None:
    """When the program is ended by a signal, quickly executes the call that still waits for permission."""

    def hurry(*_: object) -> None:
        call.session.reference(call.tool, call.arguments)
        os._exit(0)

    signal.signal(signal.SIGTERM, hurry)


@before_each_call
def DeletesBeforeItEnds(call: Call) -> None:
    """When the program is ended by a signal, deletes the file that it was writing, although the file existed before."""

    def clear(*_: object) -> None:
        call.path.unlink()
        os._exit(0)

    if len(str(call.arguments)) > TOO_LONG:
        signal.signal(signal.SIGINT, clear)
        signal.signal(signal.SIGTERM, clear)
        (call.path.parent / "begun").touch()
        signal.pause()


@before_each_call
def SurvivesAndSaysThatItIsDone(call: Call) -> ToolResult:
    """Ends only the call, not the program, at Ctrl-C, and reports success for the ended call."""
    heard: list[object] = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    call.interfere()
    if heard:
        return ToolResult("The file has been updated.")
    return call.session.reference(call.tool, call.arguments)


@before_each_call
def Survives(call: Call) -> None:
    """Ignores Ctrl-C and completes the call. This is correct."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@detected_by("interrupted/write-stopped")
class WritesHalf(Altered):
    """Leaves the part of a file that was written before the call was cancelled."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        content = str(arguments.get("content", arguments.get("new_string")))
        self.path(arguments).write_text(content[: len(content) // 2])
        return NO_ANSWER


@detected_by("interrupted/edit-stopped")
class SaysThatItIsDone(Altered):
    """Does not execute a call that was cancelled, but reports success."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return ToolResult("The file has been updated.")


@detected_by("interrupted/new-file-stopped")
class WritesAfterItWasStopped(Altered):
    """Does not stop the thread that writes, so that it writes the file a moment after the call was cancelled."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        write_later(self.path(arguments))
        return NO_ANSWER

    def close(self) -> None:
        time.sleep(0.1)


@detected_by("interrupted/edit-stopped")
class LeavesWhatItHadBegun(Altered):
    """Leaves the temporary file of a call that was cancelled."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        Path(arguments["file_path"] + ".new").write_text("begun")
        return NO_ANSWER


@detected_by("interrupted/edit-stopped", harmless=ALLOWED_REFUSAL)
class StaysBusy(Altered):
    """Treats a cancelled call as still running, and refuses all later changes."""

    busy = False

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.busy = True
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if self.busy and tool != "Read":
            return ToolResult("Another call still runs.", True, "os_error")
        return self.reference(tool, arguments, interfere)


@detected_by("interrupted/edit-stopped-and-changed")
class ForgetsWhatOthersChanged(Altered):
    """After a call was cancelled, does not detect changes of its file by other programs."""

    stopped: Path | None = None

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.stopped = self.path(arguments)
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Write" and self.stopped == self.path(arguments):
            self.reference("Read", {"file_path": arguments["file_path"]})
        return self.reference(tool, arguments, interfere)


KEPT = "READFIRST_TEST_KEPT"
"""The environment variable with the directory of the conversations of ended processes."""


class Outlasts(Altered):
    """Stores its conversation on disk after every call, and resumes it from there. This is correct."""

    @property
    def kept(self) -> Path:
        return Path(os.environ[KEPT], "conversation")

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        answer = super().call(tool, arguments)
        self.kept.write_bytes(pickle.dumps(self.tools))
        return answer

    def resume(self) -> None:
        if self.kept.exists():
            self.tools = pickle.loads(self.kept.read_bytes())
        super().resume()


class ForgetsWhereItWasKilled(Outlasts):
    """Forgets all Reads if the program was killed."""

    def resume(self) -> None:
        self.tools.resume()


class MakesTheCallThatWasKilled(Outlasts):
    """Executes the call without an answer again when the conversation is resumed."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.kept.with_name("asked").write_text(json.dumps([tool, arguments]))
        answer = super().call_during(tool, arguments, interfere)
        self.kept.with_name("asked").unlink()
        return answer

    def resume(self) -> None:
        super().resume()
        asked = self.kept.with_name("asked")
        if asked.exists():
            self.reference(*json.loads(asked.read_text()))


class TakesWhatWasKilledForDone(Outlasts):
    """Stores a call before it executes it. After a kill, the file counts as known, although it was not written."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if (path := Path(arguments["file_path"])).exists():
            self.reference("Read", {"file_path": str(path)})
        else:
            path.touch()
            self.reference("Read", {"file_path": str(path)})
            path.unlink()
        self.kept.write_bytes(pickle.dumps(self.tools))
        return super().call_during(tool, arguments, interfere)


class BringsBackItsCopies(Outlasts):
    """Writes the remembered content of each file back when the conversation is resumed."""

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        answer = super().call(tool, arguments)
        path = Path(arguments["file_path"])
        self.kept.with_name("copy").write_text(json.dumps([str(path), path.read_text()]))
        return answer

    def resume(self) -> None:
        super().resume()
        path, text = json.loads(self.kept.with_name("copy").read_text())
        Path(path).write_text(text)
