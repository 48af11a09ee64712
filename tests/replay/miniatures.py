import asyncio
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partialmethod
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace

Arguments = Mapping[str, Any]
NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)


class Honest:
    """Refuses to change a file that was not read, or that another program has changed since. Correct."""

    capabilities = frozenset({"Read", "Edit", "Write", "parallel", "during"})

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.seen: dict[str, bytes] = {}

    @classmethod
    def open(cls, workspace: Workspace) -> "Honest":
        return cls(workspace)

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        return self.call_during(tool, arguments, lambda: None)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [self.call(tool, arguments) for tool, arguments in calls]

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
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
    """`Honest` with `async def` methods, which give up control once before they act."""

    capabilities = Honest.capabilities | {"resume", "compact", "rewind"}
    capabilities |= {"mentions", "agents", "background", "stop"}

    def __init__(self) -> None:
        self.lock = asyncio.Lock()

    async def open(self, workspace: Workspace) -> "AsyncSession":
        async with self.lock:
            return AsyncSession(workspace)


class AsyncSession:
    """Writes each event of the conversation to a log in the home directory."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.honest = Honest(workspace)
        self.log = workspace.home / "log"

    async def _note(self, text: str) -> None:
        await asyncio.sleep(0)
        with self.log.open("a") as log:
            log.write(f"{text}\n")

    async def call(self, tool: str, arguments: Arguments) -> ToolResult:
        await asyncio.sleep(0)
        return self.honest.call(tool, arguments)

    async def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return await asyncio.gather(*(self.call(*call) for call in calls))

    async def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        await asyncio.sleep(0)
        return self.honest.call_during(tool, arguments, interfere)

    async def call_interrupted(
        self, tool: str, arguments: Arguments, how: str, interfere: Callable[[], None]
    ) -> ToolResult:
        beside = asyncio.create_task(asyncio.to_thread(interfere))
        result = await self.call(tool, arguments)
        await beside
        return result

    resume = partialmethod(_note, "resume")
    compact = partialmethod(_note, "compact")
    rewind = partialmethod(_note, "rewind")
    close = partialmethod(_note, "close")

    async def mention(self, path: str) -> None:
        await self._note(f"mention {Path(path).name}")

    async def sub_agent(self) -> "AsyncSession":
        await self._note("agent")
        return AsyncSession(self.workspace)

    background_agent = sub_agent


class AsyncCallsInAList(AsyncTools):
    """Its `call_parallel` is not a coroutine: it returns a list of coroutines."""

    async def open(self, workspace: Workspace) -> Any:
        session: Any = await super().open(workspace)
        session.call_parallel = lambda calls: [session.call(*call) for call in calls]
        return session


class Misbehaving(Honest):
    """Calls `misbehave` in every Edit, and is correct in all other calls."""

    def call(self, tool: str, arguments: Arguments) -> Any:
        return self.misbehave() if tool == "Edit" else super().call(tool, arguments)

    def misbehave(self) -> Any:
        raise NotImplementedError


def misbehaves(act: Callable[[Any], Any]) -> type[Misbehaving]:
    """Return an implementation that calls `act` in every Edit."""
    return type(act.__name__, (Misbehaving,), {"misbehave": act, "__module__": __name__})


HangsInC = misbehaves(lambda _: ctypes.PyDLL(None).pause())
"""Sleeps in a system call while it holds the lock of the Python interpreter."""
Exits = misbehaves(lambda _: os._exit(3))
ExitsPolitely = misbehaves(lambda _: sys.exit(4))
AnswersNothing = misbehaves(lambda _: None)
AnswersBytes = misbehaves(lambda _: ToolResult(b"done"))
AnswersANumber = misbehaves(lambda _: ToolResult("done", 1))
"""Returns 1 instead of True to mark an answer as an error."""
NamesErrorsByNumber = misbehaves(lambda _: ToolResult("done", True, 6))


@misbehaves
def HangsStubbornly(self: Misbehaving) -> Any:
    """Never answers, and ignores all signals for a while."""
    for _ in range(3):
        try:
            while True:
                pass
        except BaseException:
            continue
    while True:
        pass


@misbehaves
def Raises(self: Misbehaving) -> Any:
    raise ValueError(f"no idea about {self.workspace.root}")


@misbehaves
def FloodsOutput(self: Misbehaving) -> Any:
    while True:
        os.write(1, b"blah " * 10_000 + b"the end\n")


@misbehaves
def Chatters(self: Misbehaving) -> Any:
    os.write(2, b"chatter\n" * 131_072)
    return ToolResult("done")


@misbehaves
def WritesIntoEveryStream(self: Misbehaving) -> Any:
    """Writes garbage to all its file descriptors."""
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, b"GET / HTTP/1.1\r\n\r\n")
        except OSError:
            continue
    time.sleep(60)


@misbehaves
def LeavesAChildBehind(self: Misbehaving) -> Any:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", self.workspace.root])
    os._exit(5)


class LosesAParallelResult(Honest):
    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [*super().call_parallel(calls)][:-1]


class StrikesTwice(Honest):
    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        interfere()
        interfere()
        return super().call_during(tool, arguments, lambda: None)


class Pretends:
    """Declares capabilities, but its session lacks the methods for them."""

    capabilities = AsyncTools.capabilities | {"cancel", "cut", "kill"}

    def open(self, workspace: Workspace) -> Any:
        class Basic:
            def call(self, tool: str, arguments: Arguments) -> ToolResult:
                return ToolResult("done")

        return Basic()


class FailsToOpen(Honest):
    @classmethod
    def open(cls, workspace: Workspace) -> "Honest":
        raise RuntimeError("no session today")


class FailsToClose(Honest):
    def close(self) -> None:
        raise RuntimeError("no end")


def never_ready() -> Honest:
    while True:
        pass


def not_an_adapter() -> int:
    return 3


NOT_CALLABLE = 3
