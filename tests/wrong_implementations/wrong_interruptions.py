"""Implementations that do something with calls that are given up, cut off, or whose program is killed."""

import json
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments, Call, caught, instead
from reasons import TOO_CAREFUL

from readfirst.harness.adapter_api import NO_ANSWER, ToolResult

TOO_LONG = 100_000
"""Characters that take so long to write that the program is killed meanwhile."""


def write_later(path: Path) -> None:
    threading.Timer(0.03, lambda: path.write_text("written too late\n")).start()


@caught("interrupted/edit-given-up")
class ExecutesWhatWasGivenUp(Altered):
    """The cancellation comes back, and the call is made all the same."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.reference(tool, arguments)
        return answer


@caught("interrupted/new-file-given-up")
class GoesOnAfterwards(Altered):
    """A thread that is never stopped makes the call a little later."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        write_later(self.path(arguments))
        return answer

    def close(self) -> None:
        time.sleep(0.1)


@caught("interrupted/write-given-up")
class EmptiesBeforeItWaits(Altered):
    """The file is emptied first, and written after the question."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        def empty() -> None:
            interfere()
            if self.path(arguments).exists():
                self.path(arguments).write_bytes(b"")

        return super().give_up(tool, arguments, empty)


@caught("interrupted/edit-given-up", harmless=TOO_CAREFUL)
class ForgetsWhatItRead(Altered):
    """Escape begins a new session."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.tools = self.fresh()
        return answer


@caught("interrupted/new-file-given-up")
class MakesFoldersFirst(Altered):
    """Creates the directories of a new file before the permission is checked."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.path(arguments).parent.mkdir(parents=True, exist_ok=True)
        return super().give_up(tool, arguments, interfere)


@caught("interrupted/write-at-limit")
class DeletesWhatWasCut(Altered):
    """A call that comes cut off is taken back, and the file with it."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        for path in self.workspace.root.glob("*.txt"):
            if str(path) in text:
                path.unlink()
        return answer


@caught("interrupted/edit-cut")
class WritesWhatCame(Altered):
    """The arguments are mended as far as they came, and the call is made."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        arguments = json.loads(text + '"}')
        if tool == "Write":
            self.path(arguments).write_text(arguments["content"])
            return answer
        return self.reference(tool, arguments)


@caught("interrupted/new-file-cut")
class OpensWhileItComes(Altered):
    """The file is opened for writing as soon as its name has come."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        if tool == "Write":
            self.path(json.loads(text + '"}')).write_bytes(b"")
        return answer


@instead
def EmptiesAndWrites(call: Call) -> ToolResult | None:
    """The file is emptied and then written, piece by piece."""
    if len(call.content) < TOO_LONG:
        return None
    with call.path.open("w") as file:
        for start in range(0, len(call.content), TOO_LONG // 2):
            file.write(call.content[start : start + TOO_LONG // 2])
            file.flush()
            time.sleep(0.5)
    return ToolResult("Written.")


@instead
def LeavesALock(call: Call) -> ToolResult | None:
    """A lock beside the file keeps others away, also when who made it is dead."""
    lock = call.session.workspace.home / ".cache" / "lock"
    if call.tool == "Read":
        return None
    if lock.exists():
        return ToolResult("Somebody else works on the file.", True, "os_error")
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    try:
        return call.made()
    finally:
        lock.unlink()


@instead
def BacksUpAndMoves(call: Call) -> ToolResult | None:
    """The old file is moved away before the new one is there."""
    if len(call.content) < TOO_LONG:
        return None
    path = call.path
    path.rename(path.with_suffix(".bak"))
    (path.parent / "begun").touch()
    time.sleep(5)
    path.write_text(call.content)
    return ToolResult("Written.")


@instead
def HurriesWhenItIsToEnd(call: Call) -> None:
    """When the program ends, it makes the call that waits for its permission."""

    def hurry(*_: object) -> None:
        call.session.reference(call.tool, call.arguments)
        os._exit(0)

    signal.signal(signal.SIGTERM, hurry)


@instead
def DeletesBeforeItEnds(call: Call) -> None:
    """At the end it removes the unfinished file, and with it the old content."""

    def clear(*_: object) -> None:
        call.path.unlink()
        os._exit(0)

    if len(str(call.arguments)) > TOO_LONG:
        signal.signal(signal.SIGINT, clear)
        signal.signal(signal.SIGTERM, clear)
        (call.path.parent / "begun").touch()
        signal.pause()


@instead
def SurvivesAndSaysThatItIsDone(call: Call) -> ToolResult:
    """Ctrl-C ends the call and not the program, and the answer is that of a call that was made."""
    heard: list[object] = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    call.interfere()
    if heard:
        return ToolResult("The file has been updated.")
    return call.session.reference(call.tool, call.arguments)


@instead
def Survives(call: Call) -> None:
    """Ctrl-C is not heard: nothing is wrong with that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@caught("interrupted/write-stopped")
class WritesHalf(Altered):
    """If a call is cancelled while it writes, the written part stays."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        content = str(arguments.get("content", arguments.get("new_string")))
        self.path(arguments).write_text(content[: len(content) // 2])
        return NO_ANSWER


@caught("interrupted/edit-stopped")
class SaysThatItIsDone(Altered):
    """The call is not made, and answered as one that was."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return ToolResult("The file has been updated.")


@caught("interrupted/new-file-stopped")
class WritesAfterItWasStopped(Altered):
    """The writing thread is not stopped."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        write_later(self.path(arguments))
        return NO_ANSWER

    def close(self) -> None:
        time.sleep(0.1)


@caught("interrupted/edit-stopped")
class LeavesWhatItHadBegun(Altered):
    """The file is written beside its place, and stays there."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        Path(arguments["file_path"] + ".new").write_text("begun")
        return NO_ANSWER


@caught("interrupted/edit-stopped", harmless=TOO_CAREFUL)
class StaysBusy(Altered):
    """A stopped call counts as running."""

    busy = False

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.busy = True
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if self.busy and tool != "Read":
            return ToolResult("Another call still runs.", True, "os_error")
        return self.reference(tool, arguments, interfere)


@caught("interrupted/edit-stopped-and-changed")
class ForgetsWhatOthersChanged(Altered):
    """A call that was stopped makes the session take the file as it is then for its own."""

    stopped: Path | None = None

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.stopped = self.path(arguments)
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Write" and self.stopped == self.path(arguments):
            self.reference("Read", {"file_path": arguments["file_path"]})
        return self.reference(tool, arguments, interfere)


KEPT = "READFIRST_TEST_KEPT"
"""The variable with the directory of conversations that outlive their process."""


class Outlasts(Altered):
    """Keeps its conversation on disk after every call, and goes on with it; right, as far as it goes."""

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
    """Only a regular end keeps the knowledge of files."""

    def resume(self) -> None:
        self.tools.resume()


class MakesTheCallThatWasKilled(Outlasts):
    """Makes up for unanswered calls when the conversation continues."""

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
    """A call is in the conversation as soon as it is asked."""

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
    """Restores the known contents of files when the conversation continues."""

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        answer = super().call(tool, arguments)
        path = Path(arguments["file_path"])
        self.kept.with_name("copy").write_text(json.dumps([str(path), path.read_text()]))
        return answer

    def resume(self) -> None:
        super().resume()
        path, text = json.loads(self.kept.with_name("copy").read_text())
        Path(path).write_text(text)
