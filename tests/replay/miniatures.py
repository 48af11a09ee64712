"""Tiny implementations: a correct one, and many that misbehave, each in one way."""

import asyncio
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)


class Honest:
    """A correct implementation of Read, Edit and Write.

    A changed file must have been read and must be as it was read.
    """

    capabilities = frozenset({"Read", "Edit", "Write", "parallel", "during"})

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.seen: dict[str, bytes] = {}

    @classmethod
    def open(cls, workspace: Workspace) -> "Honest":
        return cls(workspace)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return self.call_during(tool, arguments, lambda: None)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [self.call(tool, arguments) for tool, arguments in calls]

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        name = arguments["file_path"]
        path = Path(name)
        if tool == "Read":
            self.seen[name] = path.read_bytes()
            return ToolResult(self.seen[name].decode())
        if path.exists() and name not in self.seen:
            return ToolResult(NOT_READ, True)
        if path.exists() and self.seen[name] != path.read_bytes():
            return ToolResult(MODIFIED, True)
        interfere()
        if path.exists() and self.seen[name] != path.read_bytes():
            return ToolResult(
                "File has been unexpectedly modified. Read it again before attempting to write it.", True
            )
        text = arguments["content"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.seen[name] = text.encode()
        return ToolResult(f"wrote {name}")


class AsyncTools:
    """`Honest` with `async def` methods. Each gives up control once before it acts."""

    capabilities = Honest.capabilities | {
        "resume",
        "compact",
        "rewind",
        "mentions",
        "agents",
        "background",
        "stop",
    }

    def __init__(self) -> None:
        self.lock = asyncio.Lock()

    async def open(self, workspace: Workspace) -> "AsyncSession":
        async with self.lock:
            return AsyncSession(workspace)


class AsyncSession:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.honest = Honest(workspace)
        self.log = workspace.home / "log"

    async def _note(self, text: str) -> None:
        await asyncio.sleep(0)
        with self.log.open("a") as log:
            log.write(f"{text}\n")

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        await asyncio.sleep(0)
        return self.honest.call(tool, arguments)

    async def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return await asyncio.gather(*(self.call(*call) for call in calls))

    async def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        await asyncio.sleep(0)
        return self.honest.call_during(tool, arguments, interfere)

    async def call_interrupted(
        self, tool: str, arguments: Mapping[str, Any], how: str, interfere: Callable[[], None]
    ) -> ToolResult:
        beside = asyncio.create_task(asyncio.to_thread(interfere))
        result = await self.call(tool, arguments)
        await beside
        return result

    async def resume(self) -> None:
        await self._note("resume")

    async def compact(self) -> None:
        await self._note("compact")

    async def rewind(self) -> None:
        await self._note("rewind")

    async def mention(self, path: str) -> None:
        await self._note(f"mention {Path(path).name}")

    async def sub_agent(self) -> "AsyncSession":
        await self._note("agent")
        return AsyncSession(self.workspace)

    background_agent = sub_agent

    async def close(self) -> None:
        await self._note("close")


class AsyncCallsInAList(AsyncTools):
    """An implementation whose `call_parallel` is not a coroutine, but returns a list of coroutines."""

    async def open(self, workspace: Workspace) -> Any:
        session: Any = await super().open(workspace)
        session.call_parallel = lambda calls: [session.call(*call) for call in calls]
        return session


class Misbehaving(Honest):
    """Misbehaves in every Edit, and is correct in all other calls. The base of the following classes."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return self.misbehave() if tool == "Edit" else super().call(tool, arguments)

    def misbehave(self) -> Any:
        raise NotImplementedError


class Hangs(Misbehaving):
    """Never answers."""

    def misbehave(self) -> Any:
        while True:
            pass


class HangsStubbornly(Misbehaving):
    """Never answers, and ignores all signals for a while."""

    def misbehave(self) -> Any:
        for _ in range(3):
            try:
                while True:
                    pass
            except BaseException:
                continue
        while True:
            pass


class HangsInC(Misbehaving):
    """Sleeps in a system call with the interpreter's lock held."""

    def misbehave(self) -> Any:
        ctypes.PyDLL(None).pause()


class Exits(Misbehaving):
    """Ends its process with status 3."""

    def misbehave(self) -> Any:
        os._exit(3)


class ExitsPolitely(Misbehaving):
    """Calls sys.exit, which no implementation should do."""

    def misbehave(self) -> Any:
        sys.exit(4)


class Segfaults(Misbehaving):
    """Reads address zero."""

    def misbehave(self) -> Any:
        ctypes.string_at(0)


class Raises(Misbehaving):
    """Raises an exception instead of answering."""

    def misbehave(self) -> Any:
        raise ValueError(f"no idea about {self.workspace.root}")


class FloodsOutput(Misbehaving):
    """Prints without end instead of answering."""

    def misbehave(self) -> Any:
        while True:
            os.write(1, b"blah " * 10_000 + b"the end\n")


class Chatters(Misbehaving):
    """Prints a megabyte, then answers."""

    def misbehave(self) -> Any:
        os.write(2, b"chatter\n" * 131_072)
        return ToolResult("done")


class FloodsText(Misbehaving):
    """Answers with more text than a message may contain."""

    def misbehave(self) -> Any:
        return ToolResult("x" * (65 * 1024 * 1024))


class WritesIntoEveryStream(Misbehaving):
    """Writes garbage to all its file descriptors."""

    def misbehave(self) -> Any:
        for descriptor in range(3, 32):
            try:
                os.write(descriptor, b"GET / HTTP/1.1\r\n\r\n")
            except OSError:
                continue
        time.sleep(60)


class LeavesAChildBehind(Misbehaving):
    """Starts a process, writes its id to a file, and crashes."""

    def misbehave(self) -> Any:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", self.workspace.root])
        os._exit(5)


class AnswersNothing(Misbehaving):
    """Answers None."""

    def misbehave(self) -> Any:
        return None


class AnswersBytes(Misbehaving):
    """Answers with bytes for a text."""

    def misbehave(self) -> Any:
        return ToolResult(b"done")  # type: ignore[arg-type]


class AnswersANumber(Misbehaving):
    """Returns 1 instead of True as the mark of an error."""

    def misbehave(self) -> Any:
        return ToolResult("done", 1)  # type: ignore[arg-type]


class NamesErrorsByNumber(Misbehaving):
    """Returns the number 6 as the name of an error."""

    def misbehave(self) -> Any:
        return ToolResult("done", True, 6)  # type: ignore[arg-type]


class LosesAParallelResult(Honest):
    """Returns one result too few for parallel calls."""

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        return [*super().call_parallel(calls)][:-1]


class StrikesTwice(Honest):
    """Calls `interfere` twice, so that the change by another program happens twice."""

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        interfere()
        interfere()
        return super().call_during(tool, arguments, lambda: None)


class NeverStrikes(Honest):
    """Declares the capability `during`, but never calls `interfere`."""

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        return super().call_during(tool, arguments, lambda: None)


class Pretends:
    """Declares capabilities that its session does not have."""

    capabilities = frozenset({"Read", "Edit", "Write", "parallel", "during"})

    def open(self, workspace: Workspace) -> Any:
        class Basic:
            def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
                return ToolResult("done")

        return Basic()


class FailsToOpen(Honest):
    """Raises an exception when a session is opened."""

    @classmethod
    def open(cls, workspace: Workspace) -> "Honest":
        raise RuntimeError("no session today")


class FailsToClose(Honest):
    """Raises an exception when a session is closed."""

    def close(self) -> None:
        raise RuntimeError("no end")


def never_ready() -> Honest:
    """A factory of an adapter that never returns."""
    while True:
        pass


def not_an_adapter() -> int:
    """A factory that returns something that is not an adapter."""
    return 3


NOT_CALLABLE = 3
