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
    return type(
        act.__name__, (Misbehaving,), {"misbehave": act, "__doc__": act.__doc__, "__module__": __name__}
    )


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
def HangsInC(self: Misbehaving) -> Any:
    """Sleeps in a system call while it holds the lock of the Python interpreter."""
    ctypes.PyDLL(None).pause()


@misbehaves
def Exits(self: Misbehaving) -> Any:
    os._exit(3)


@misbehaves
def ExitsPolitely(self: Misbehaving) -> Any:
    sys.exit(4)


@misbehaves
def Segfaults(self: Misbehaving) -> Any:
    ctypes.string_at(0)


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
def FloodsText(self: Misbehaving) -> Any:
    """Answers with more text than the test allows for a line."""
    return ToolResult("x" * 200_000)


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


@misbehaves
def AnswersNothing(self: Misbehaving) -> Any:
    return None


@misbehaves
def AnswersBytes(self: Misbehaving) -> Any:
    return ToolResult(b"done")


@misbehaves
def AnswersANumber(self: Misbehaving) -> Any:
    """Returns 1 instead of True to mark an answer as an error."""
    return ToolResult("done", 1)


@misbehaves
def NamesErrorsByNumber(self: Misbehaving) -> Any:
    return ToolResult("done", True, 6)


class LosesAParallelResult(Honest):
    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [*super().call_parallel(calls)][:-1]


class StrikesTwice(Honest):
    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        interfere()
        interfere()
        return super().call_during(tool, arguments, lambda: None)


class NeverStrikes(Honest):
    """Declares the capability `during`, but never calls `interfere`."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return super().call_during(tool, arguments, lambda: None)


class Pretends:
    """Declares capabilities, but its session lacks the methods for them."""

    capabilities = frozenset({"Read", "Edit", "Write", "parallel", "during"})

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
