"""One MCP server: its process, and the client of the `mcp` package that talks to it.

The client runs in an event loop of its own that moves only while a call waits, so nothing happens in between. The
transport is ours: it ends a server that floods or writes something that is not a message.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from signal import SIGKILL
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError, types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from readfirst.harness.processes import trace
from readfirst.harness.processes.child import PipedChild
from readfirst.harness.session import Arguments, BrokenAdapter

LONGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes of one line; whoever writes more without an end floods."""

_FAREWELL = 0.3
"""Seconds that the server gets to end by itself when its input has ended."""

_RENEWAL = 5.0
"""Seconds in which a server that runs answers a second handshake."""

_AFTERWARDS = 0.5
"""Seconds in which a server may still answer a call that was given up; it need not."""

_Job = tuple[Callable[[ClientSession], Awaitable[Any]], "asyncio.Future[Any]"]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server says of itself: its name and version, and its tools."""

    name: str
    version: str
    tools: tuple[types.Tool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(tool.name for tool in self.tools)


class McpServer:
    """A started server; `offer` is what it offers. Not for use by several threads at once."""

    def __init__(self, child: PipedChild, start_limit: float) -> None:
        """Shake hands with a program that was just started. Raises BrokenAdapter."""
        self._latest: types.RequestId = 0
        """What the request that was sent last is called."""
        self.alive = True
        self._child = child
        self._runner = asyncio.Runner()
        loop = self._runner.get_loop()
        self._broken: asyncio.Future[str] = loop.create_future()
        self._jobs: asyncio.Queue[_Job] = asyncio.Queue()
        self._conversation = loop.create_task(self._converse())
        self.offer: Offer = self._do(_offer, "the start", start_limit)
        self._child.warn()

    def begin_anew(self) -> None:
        """Shake hands again, at which some servers begin their session anew. Raises BrokenAdapter, and it is ended."""
        self._do(ClientSession.initialize, "a second handshake", _RENEWAL)

    @property
    def pid(self) -> int:
        """The number of the process that watches over the server."""
        return self._child.pid

    @property
    def runs(self) -> bool:
        """Whether its process has not ended by itself."""
        return self.alive and self._child.status() is None

    def call(self, name: str, arguments: Arguments, limit: float) -> types.CallToolResult:
        """Call one tool; see `calls`."""
        return self.calls([(name, arguments)], name, limit)[0]

    def calls(
        self, calls: Sequence[tuple[str, Arguments]], what: str, limit: float
    ) -> list[types.CallToolResult]:
        """Send several calls before the first answer; a JSON-RPC error becomes a result marked as an error.

        `limit` is in seconds for all of them.

        Raises:
            BrokenAdapter: No answer in time, or none that is a message of the protocol; the server is then ended.
        """

        async def requests(session: ClientSession) -> list[types.CallToolResult]:
            return await asyncio.gather(*(_request(session, *each) for each in calls))

        results: list[types.CallToolResult] = self._do(requests, what, limit)
        return results

    def call_given_up(
        self, name: str, arguments: Arguments, when: Callable[[], None], limit: float
    ) -> types.CallToolResult | None:
        """Call one tool, and tell the server that the call is given up as soon as `when`, in a thread, returns.

        None: it said nothing of it then, which the protocol asks for. Raises BrokenAdapter, as `calls`.
        """

        async def request(session: ClientSession) -> types.CallToolResult | None:
            call = asyncio.ensure_future(_request(session, name, arguments))
            moment = asyncio.get_running_loop().create_future()
            # No thread of the loop's own, for which the loop would wait at its end.
            threading.Thread(target=_signal, args=(when, moment), daemon=True).start()
            await asyncio.wait({call, moment}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                params = types.CancelledNotificationParams(
                    requestId=self._latest, reason="The user gave it up."
                )
                notice = types.CancelledNotification(params=params)
                await session.send_notification(types.ClientNotification(notice))
                await asyncio.wait({call}, timeout=_AFTERWARDS)
            if call.done():
                return call.result()
            call.cancel()
            return None

        answer: types.CallToolResult | None = self._do(request, name, limit)
        return answer

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the server, or send it another signal; who waits for its answer learns that it has ended."""
        return self._child.kill(number)

    def end(self, *, at_once: bool = False) -> None:
        """End the server and everything in its process group; politely unless `at_once`."""
        if not self.alive:
            return
        self.alive = False
        self._conversation.cancel()
        with suppress(BaseException):
            self._runner.run(_settled(self._conversation))
        self._runner.close()
        self._child.end(0.0 if at_once else _FAREWELL)

    def _do(self, job: Callable[[ClientSession], Awaitable[Any]], what: str, limit: float) -> Any:
        if not self.alive:
            raise BrokenAdapter("the server had already ended")

        async def wait() -> Any:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._jobs.put_nowait((job, answer))
            waiting = {answer, self._broken, self._conversation}
            done, _ = await asyncio.wait(waiting, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if answer in done:
                return answer.result()
            if self._broken in done:
                raise _Broken(self._broken.result())
            if self._conversation in done:
                raise _Broken(f"its conversation ended: {self._conversation.exception()}")
            raise _Broken(f"{what} took longer than {limit:g} s")

        try:
            return self._runner.run(wait())
        except _Broken as error:
            message = self._child.fate("the server", str(error), what, _FAREWELL)
            self.end(at_once=True)
            raise BrokenAdapter(message, details=self._child.printed) from None
        except Exception as error:
            # The client raises what it likes, RuntimeError for a version of the protocol that it does not speak.
            self.end(at_once=True)
            message = f"the server's answer to {what} is not valid MCP: {str(error)[:500]}"
            raise BrokenAdapter(message, details=self._child.printed) from None
        except BaseException:
            self.end(at_once=True)
            raise

    async def _converse(self) -> None:
        """Connect the client to the process, and do one job after the other."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
        listening, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._child.process.stdout
        )
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, self._child.process.stdin
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        to_client: MemoryObjectSendStream[SessionMessage | Exception]
        from_client: MemoryObjectReceiveStream[SessionMessage]
        to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        pumps = (
            loop.create_task(self._receive(reader, to_client)),
            loop.create_task(self._send(writer, from_client)),
        )
        try:
            async with ClientSession(incoming, outgoing) as session:
                while True:
                    job, answer = await self._jobs.get()
                    try:
                        result = await job(session)
                    except Exception as error:
                        if not answer.done():
                            answer.set_exception(error)
                    else:
                        if not answer.done():
                            answer.set_result(result)
        finally:
            for pump in pumps:
                pump.cancel()
            for stream in (to_client, incoming, outgoing, from_client):
                stream.close()
            transport.close()
            listening.close()
            await asyncio.sleep(0)  # closing takes one turn of the loop

    async def _receive(
        self, reader: asyncio.StreamReader, to_client: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                rest = error.partial.strip()
                self._fail(_garbage(rest) if rest else "")
                return
            except asyncio.LimitOverrunError:
                self._fail(f"the server wrote more than {LONGEST_MESSAGE} bytes without a line end")
                return
            if not line.strip():
                continue
            trace.frame("<-", line)
            try:
                message = types.JSONRPCMessage.model_validate_json(line)
            except ValidationError:
                self._fail(_garbage(line))
                return
            await to_client.send(SessionMessage(message))

    async def _send(
        self, writer: asyncio.StreamWriter, from_client: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        async for message in from_client:
            # The calls of a group go out in one piece: a server that reads one of them can read all.
            waiting = from_client.statistics().tasks_waiting_send
            group = [message, *(from_client.receive_nowait() for _ in range(waiting))]
            for each in group:
                if isinstance(each.message.root, types.JSONRPCRequest):
                    self._latest = each.message.root.id
            lines = [each.message.model_dump_json(by_alias=True, exclude_none=True) for each in group]
            for line in lines:
                trace.frame("->", line)
            writer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
            with suppress(ConnectionError):  # it is gone; reading its answer finds that out
                await writer.drain()

    def _fail(self, message: str) -> None:
        if not self._broken.done():
            self._broken.set_result(message)


async def _request(session: ClientSession, name: str, arguments: Arguments) -> types.CallToolResult:
    params = types.CallToolRequestParams(name=name, arguments=dict(arguments))
    asked = types.ClientRequest(types.CallToolRequest(params=params))
    # Not `call_tool`: it would check results against schemas, which is not what is judged here.
    try:
        # The limit is kept outside, where it also covers a server that reads nothing.
        return await session.send_request(
            asked, types.CallToolResult, request_read_timeout_seconds=timedelta(days=1)
        )
    except McpError as error:
        content = types.TextContent(type="text", text=error.error.message)
        return types.CallToolResult(content=[content], isError=True)


def _signal(when: Callable[[], None], moment: asyncio.Future[None]) -> None:
    when()
    with suppress(RuntimeError):  # the loop is closed: the server broke
        moment.get_loop().call_soon_threadsafe(moment.set_result, None)


class _Broken(Exception):  # noqa: N818 - it names who is broken
    """What is wrong with what the server wrote; nothing, where it writes no more."""


async def _settled(task: asyncio.Task[None]) -> None:
    with suppress(BaseException):
        await task


async def _offer(session: ClientSession) -> Offer:
    started = await session.initialize()
    tools: list[types.Tool] = []
    cursor = None
    while True:
        listed = await session.list_tools(cursor)
        tools += listed.tools
        cursor = listed.nextCursor
        if cursor is None:
            return Offer(started.serverInfo.name, started.serverInfo.version, tuple(tools))


def _garbage(line: bytes) -> str:
    shown = line[:200].decode("utf-8", "backslashreplace").strip()
    return f"the server wrote something to its standard output that is not an MCP message: {shown}"
