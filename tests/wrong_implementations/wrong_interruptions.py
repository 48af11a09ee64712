"""Implementations that do something with calls that are given up, cut off, or whose program is killed."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments

from readfirst.harness.session import NO_ANSWER, ToolResult


class ExecutesWhatWasGivenUp(Altered):
    """The cancellation comes back, and the call is made all the same."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.reference(tool, arguments)
        return answer


class GoesOnAfterwards(Altered):
    """A thread that nobody stops makes the call a little later."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        path = Path(arguments["file_path"])
        late = threading.Timer(0.03, lambda: path.write_text("written too late\n"))
        late.start()
        return answer

    def close(self) -> None:
        time.sleep(0.1)


class EmptiesBeforeItWaits(Altered):
    """The file is emptied first, and written after the question."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])

        def empty() -> None:
            interfere()
            if path.exists():
                path.write_bytes(b"")

        return super().give_up(tool, arguments, empty)


class ForgetsWhatItRead(Altered):
    """Escape begins a new session."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        answer = super().give_up(tool, arguments, interfere)
        self.tools = self.fresh()
        return answer


class MakesFoldersFirst(Altered):
    """The folders of a new file are there before anybody was asked."""

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        Path(arguments["file_path"]).parent.mkdir(parents=True, exist_ok=True)
        return super().give_up(tool, arguments, interfere)


class DeletesWhatWasCut(Altered):
    """A call that comes cut off is taken back, and the file with it."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        for path in self.workspace.root.glob("*.txt"):
            if str(path) in text:
                path.unlink()
        return answer


class WritesWhatCame(Altered):
    """The arguments are mended as far as they came, and the call is made."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        arguments = json.loads(text + '"}')
        if tool == "Write":
            Path(arguments["file_path"]).write_text(arguments["content"])
            return answer
        return self.reference(tool, arguments)


class OpensWhileItComes(Altered):
    """The file is opened for writing as soon as its name has come."""

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        if tool == "Write":
            Path(json.loads(text + '"}')["file_path"]).write_bytes(b"")
        return answer


class EmptiesAndWrites(Altered):
    """The file is emptied and then written, piece by piece."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        content = str(arguments.get("content", arguments.get("new_string", "")))
        if len(content) < 100_000:
            return self.reference(tool, arguments, interfere)
        with path.open("w") as file:
            for start in range(0, len(content), 50_000):
                file.write(content[start : start + 50_000])
                file.flush()
                time.sleep(0.5)  # it is killed long before
        return ToolResult("Written.")


class LeavesALock(Altered):
    """A lock beside the file keeps others away, also when who made it is dead."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        lock = self.workspace.home / ".cache" / "lock"
        if tool == "Read":
            return self.reference(tool, arguments, interfere)
        if lock.exists():
            return ToolResult("Somebody else works on the file.", True, "os_error")
        lock.parent.mkdir(exist_ok=True)
        lock.touch()
        try:
            return self.reference(tool, arguments, interfere)
        finally:
            lock.unlink()


class BacksUpAndMoves(Altered):
    """The old file is moved away before the new one is there."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        content = str(arguments.get("content", arguments.get("new_string", "")))
        if len(content) < 100_000:
            return self.reference(tool, arguments, interfere)
        path.rename(path.with_suffix(".bak"))
        time.sleep(5)  # it is killed long before
        path.write_text(content)
        return ToolResult("Written.")


class HurriesWhenItIsToEnd(Altered):
    """Whoever ends the program lets it make the call that waits for its permission."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        def hurry(*_: object) -> None:
            self.reference(tool, arguments)
            os._exit(0)

        signal.signal(signal.SIGTERM, hurry)
        return self.reference(tool, arguments, interfere)


class DeletesBeforeItEnds(Altered):
    """What was begun is cleared away at the end, and with it what was there before."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)

        def clear(*_: object) -> None:
            path.unlink()
            os._exit(0)

        if len(str(arguments)) > 100_000:
            signal.signal(signal.SIGINT, clear)
            signal.signal(signal.SIGTERM, clear)
            (path.parent / "begun").touch()
            signal.pause()
        return self.reference(tool, arguments, interfere)


class SurvivesAndSaysThatItIsDone(Altered):
    """Ctrl-C ends the call and not the program, and the answer is that of a call that was made."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        heard: list[object] = []
        signal.signal(signal.SIGINT, lambda *_: heard.append(True))
        interfere()
        return ToolResult("The file has been updated.") if heard else self.reference(tool, arguments)


class Survives(Altered):
    """Ctrl-C is not heard: nothing is wrong with that."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self.reference(tool, arguments, interfere)


class WritesHalf(Altered):
    """Whoever gives a call up while it writes gets what was written by then."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        content = str(arguments.get("content", arguments.get("new_string")))
        Path(arguments["file_path"]).write_text(content[: len(content) // 2])
        return NO_ANSWER


class SaysThatItIsDone(Altered):
    """The call is not made, and answered as one that was."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return ToolResult("The file has been updated.")


class WritesAfterItWasStopped(Altered):
    """Nobody tells the thread that writes."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = Path(arguments["file_path"])
        threading.Timer(0.03, lambda: path.write_text("written too late\n")).start()
        return NO_ANSWER

    def close(self) -> None:
        time.sleep(0.1)


class LeavesWhatItHadBegun(Altered):
    """The file is written beside its place, and stays there."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        Path(arguments["file_path"] + ".new").write_text("begun")
        return NO_ANSWER


class StaysBusy(Altered):
    """What was stopped counts as running."""

    busy = False

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.busy = True
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if self.busy and tool != "Read":
            return ToolResult("Another call still runs.", True, "os_error")
        return self.reference(tool, arguments, interfere)


class ForgetsWhatOthersChanged(Altered):
    """A call that was stopped makes the session take the file as it is then for its own."""

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.stopped = Path(arguments["file_path"])
        return super().stop(tool, arguments, interfere)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Write" and self.__dict__.get("stopped") == Path(arguments["file_path"]):
            self.reference("Read", {"file_path": arguments["file_path"]})
        return self.reference(tool, arguments, interfere)
