"""One MCP server: its process, and its requests, in messages of the `mcp` package."""

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp import types
from mcp.client.session import DEFAULT_CLIENT_INFO
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS
from pydantic import BaseModel

from readfirst.harness.adapter_api import AdapterError, Arguments
from readfirst.harness.processes.json_lines_process import GarbledError, LineProgram, ResponseTimeoutError

_RENEWAL = 5.0
"""Timeout in seconds of a repeated handshake."""

_AFTERWARDS = 0.5
"""Seconds to wait for the answer to a call that was cancelled."""

Answer = types.JSONRPCResponse | types.JSONRPCError
Result = TypeVar("Result", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The name, version and tools of a server."""

    name: str
    version: str
    tools: tuple[types.Tool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(tool.name for tool in self.tools)


class McpServer(LineProgram):
    """A running MCP server. `offer` contains its name, version and tools. Not thread-safe."""

    invalid_line_message = "wrote something to its standard output that is not an MCP message"
    ascii_only = False

    def __init__(self, command: Sequence[str], start_limit: float, **how: Any) -> None:
        """Start the server and perform the handshake. Raises AdapterError."""
        super().__init__(command, name="the server", **how)
        self._numbers = itertools.count()
        with self._within("the start", start_limit) as deadline:
            info = self._shake_hands(deadline)
            self.offer = ServerInfo(info.name, info.version, tuple(self._tools(deadline)))
        self.warn_about_isolation()

    def begin_anew(self) -> None:
        """Repeat the handshake, which begins a session in some servers. Ends the server and raises AdapterError."""
        with self._within("a second handshake", _RENEWAL) as deadline:
            self._shake_hands(deadline)

    def call(self, name: str, arguments: Arguments, limit: float) -> types.CallToolResult:
        """Call one tool and return its result. `limit` is in seconds. Raises AdapterError, as `calls` does."""
        return self.calls([(name, arguments)], name, limit)[0]

    def calls(
        self, calls: Sequence[tuple[str, Arguments]], what: str, limit: float
    ) -> list[types.CallToolResult]:
        """Send several calls before the first answer. A JSON-RPC error becomes a result that is marked as an
        error.

        `limit` is the total number of seconds.

        Raises:
            AdapterError: No answer in time, or an invalid message. The server is then ended.
        """
        with self._within(what, limit) as deadline:
            numbers = self._ask([_call(*each) for each in calls], deadline)
            return [_result(answer) for answer in self._answers(numbers, deadline)]

    def call_given_up(
        self, name: str, arguments: Arguments, when: Callable[[], None], limit: float
    ) -> types.CallToolResult | None:
        """Call one tool, and cancel the call as soon as `when`, which runs in a thread, returns.

        Return the result; None if the server does not answer a cancelled call, as the protocol requires. Raises
        AdapterError, as `calls` does.
        """
        with self._within(name, limit) as deadline:
            numbers = self._ask([_call(name, arguments)], deadline)
            woken, wake = os.pipe()
            threading.Thread(target=_close_after, args=(when, wake), daemon=True).start()
            try:
                return _result(*self._answers(numbers, deadline, woken))
            except ResponseTimeoutError:
                if time.monotonic() >= deadline:
                    raise
            finally:
                os.close(woken)
            params = types.CancelledNotificationParams(requestId=numbers[0], reason="The user gave it up.")
            self._tell(types.CancelledNotification(params=params), deadline)
            with suppress(ResponseTimeoutError):
                return _result(*self._answers(numbers, time.monotonic() + _AFTERWARDS))
            return None

    def parse_message(self, line: bytes) -> Any:
        """Parse the message of a line. Raises ValueError if it is invalid."""
        return types.JSONRPCMessage.model_validate_json(line).root

    @contextmanager
    def _within(self, what: str, limit: float) -> Iterator[float]:
        """Yield the deadline of a request in the block. Exceptions end the server. Raises AdapterError."""
        if not self.alive:
            raise AdapterError("the server had already ended")
        try:
            yield time.monotonic() + limit
        except ResponseTimeoutError:
            raise self.end_with_error(f"{what} took longer than {limit:g} s", what) from None
        except GarbledError as error:
            raise self.end_with_error(str(error), what) from None
        except ValueError as error:
            problem = f"the server's answer to {what} is not valid MCP: {str(error)[:500]}"
            raise self.end_with_error(problem, what) from None
        except BaseException:
            self.end(0.0)
            raise

    def _shake_hands(self, deadline: float) -> types.Implementation:
        params = types.InitializeRequestParams(
            protocolVersion=types.LATEST_PROTOCOL_VERSION,
            capabilities=types.ClientCapabilities(),
            clientInfo=DEFAULT_CLIENT_INFO,
        )
        started = self._one(types.InitializeResult, types.InitializeRequest(params=params), deadline)
        if started.protocolVersion not in SUPPORTED_PROTOCOL_VERSIONS:
            raise ValueError(f"Unsupported protocol version from the server: {started.protocolVersion}")
        self._tell(types.InitializedNotification(), deadline)
        return started.serverInfo

    def _tools(self, deadline: float) -> Iterator[types.Tool]:
        params = None
        while True:
            listed = self._one(types.ListToolsResult, types.ListToolsRequest(params=params), deadline)
            yield from listed.tools
            if listed.nextCursor is None:
                return
            params = types.PaginatedRequestParams(cursor=listed.nextCursor)

    def _one(self, kind: type[Result], request: BaseModel, deadline: float) -> Result:
        """Send a request and return its answer. Raises ValueError for an error, or an answer that is not a `kind`."""
        (answer,) = self._answers(self._ask([request], deadline), deadline)
        if isinstance(answer, types.JSONRPCError):
            raise ValueError(answer.error.message)
        return kind.model_validate(answer.result)

    def _ask(self, requests: Sequence[BaseModel], deadline: float) -> list[int]:
        """Send requests in one write, and return their numbers, which identify the answers."""
        numbers = [next(self._numbers) for _ in requests]
        asked = zip(numbers, map(_plain, requests), strict=True)
        self.send([{"jsonrpc": "2.0", "id": number, **each} for number, each in asked], deadline)
        return numbers

    def _tell(self, notification: BaseModel, deadline: float) -> None:
        self.send([{"jsonrpc": "2.0", **_plain(notification)}], deadline)

    def _answers(self, numbers: Sequence[int], deadline: float, woken: int | None = None) -> list[Answer]:
        """Return the answers to the requests with these numbers. Pings of the server are answered meanwhile. Raises
        ResponseTimeoutError at the deadline, or if `woken` becomes readable before.
        """
        found: dict[str, Answer] = {}
        while not all(str(number) in found for number in numbers):
            match self.receive(deadline, woken):
                case types.JSONRPCResponse() | types.JSONRPCError() as answer:
                    found[str(answer.id)] = answer
                case types.JSONRPCRequest(id=number, method=method):
                    refusal = {"code": types.METHOD_NOT_FOUND, "message": f"Method not found: {method}"}
                    met = {"result": {}} if method == "ping" else {"error": refusal}
                    self.send([{"jsonrpc": "2.0", "id": number, **met}], deadline)
        return [found[str(number)] for number in numbers]


def _call(name: str, arguments: Arguments) -> types.CallToolRequest:
    return types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(arguments)))


def _plain(message: BaseModel) -> dict[str, Any]:
    return message.model_dump(by_alias=True, mode="json", exclude_none=True)


def _result(answer: Answer) -> types.CallToolResult:
    if isinstance(answer, types.JSONRPCError):
        content = types.TextContent(type="text", text=answer.error.message)
        return types.CallToolResult(content=[content], isError=True)
    # Not checked against the schemas of the tools, which are not judged here.
    return types.CallToolResult.model_validate(answer.result)


def _close_after(when: Callable[[], None], wake: int) -> None:
    try:
        when()
    finally:
        os.close(wake)
