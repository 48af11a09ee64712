"""One MCP server: start its process, and send requests, with the message types of the Python package `mcp`."""

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

_HANDSHAKE_TIMEOUT_S = 5.0
"""Maximum seconds for a repeated handshake with a running server."""

_CANCEL_TIMEOUT_S = 0.5
"""Maximum seconds for the answer to a call that was cancelled. Many servers do not answer such a call."""

Answer = types.JSONRPCResponse | types.JSONRPCError
Result = TypeVar("Result", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The name, version and tools that a server reports at its start."""

    name: str
    version: str
    tools: tuple[types.Tool, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the server's tools."""
        return tuple(tool.name for tool in self.tools)


class McpServer(LineProgram):
    """A running MCP server. `offer` contains its name, version and tools. Not thread-safe."""

    invalid_line_message = "wrote something to its standard output that is not an MCP message"
    ascii_only = False

    def __init__(self, command: Sequence[str], start_limit: float, **options: Any) -> None:
        """Start the server and perform the handshake. Raises AdapterError."""
        super().__init__(command, name="the server", **options)
        self._numbers = itertools.count()
        with self._deadline_after("the start", start_limit) as deadline:
            info = self._shake_hands(deadline)
            self.offer = ServerInfo(info.name, info.version, tuple(self._list_tools(deadline)))
        self.warn_about_isolation()

    def repeat_handshake(self) -> None:
        """Repeat the handshake. Some servers then start a new session. Raises AdapterError."""
        with self._deadline_after("a second handshake", _HANDSHAKE_TIMEOUT_S) as deadline:
            self._shake_hands(deadline)

    def call(self, name: str, arguments: Arguments, timeout: float) -> types.CallToolResult:
        """Call one tool, and wait at most `timeout` seconds for its result. Raises AdapterError, as `calls` does."""
        return self.calls([(name, arguments)], name, timeout)[0]

    def calls(
        self, calls: Sequence[tuple[str, Arguments]], action: str, timeout: float
    ) -> list[types.CallToolResult]:
        """Send several calls at once, and return their results. A JSON-RPC error becomes a result with `isError`. If an
        answer is invalid, or missing after `timeout` seconds in all, ends the server and raises AdapterError.
        """
        with self._deadline_after(action, timeout) as deadline:
            numbers = self._send_requests([_call_request(*each) for each in calls], deadline)
            return [_call_result(answer) for answer in self._answers(numbers, deadline)]

    def call_and_cancel(
        self, name: str, arguments: Arguments, wait: Callable[[], None], timeout: float
    ) -> types.CallToolResult | None:
        """Call one tool, and cancel the call when the function `wait`, which runs in a thread, returns. Return the
        result, or None if the server does not answer the cancelled call, as the protocol requires. Raises AdapterError.
        """
        with self._deadline_after(name, timeout) as deadline:
            numbers = self._send_requests([_call_request(name, arguments)], deadline)
            wake_fd, write_fd = os.pipe()
            threading.Thread(target=_close_after, args=(wait, write_fd), daemon=True).start()
            try:
                return _call_result(*self._answers(numbers, deadline, wake_fd))
            except ResponseTimeoutError:
                if time.monotonic() >= deadline:
                    raise
            finally:
                os.close(wake_fd)
            params = types.CancelledNotificationParams(requestId=numbers[0], reason="The user gave it up.")
            self._notify(types.CancelledNotification(params=params), deadline)
            with suppress(ResponseTimeoutError):
                return _call_result(*self._answers(numbers, time.monotonic() + _CANCEL_TIMEOUT_S))
            return None

    def parse_message(self, line: bytes) -> Any:
        """Parse one line of the server's output as a JSON-RPC message. Raises ValueError if it is invalid."""
        return types.JSONRPCMessage.model_validate_json(line).root

    @contextmanager
    def _deadline_after(self, action: str, timeout: float) -> Iterator[float]:
        """Yield the deadline, `timeout` seconds from now, to a `with` block. If the block raises an exception, end the
        server, and raise AdapterError about the `action`.
        """
        if not self.alive:
            raise AdapterError("the server had already ended")
        try:
            yield time.monotonic() + timeout
        except ResponseTimeoutError:
            raise self.end_with_error(f"{action} took longer than {timeout:g} s", action) from None
        except GarbledError as error:
            raise self.end_with_error(str(error), action) from None
        except ValueError as error:
            problem = f"the server's answer to {action} is not valid MCP: {str(error)[:500]}"
            raise self.end_with_error(problem, action) from None
        except BaseException:
            self.end(0.0)
            raise

    def _shake_hands(self, deadline: float) -> types.Implementation:
        params = types.InitializeRequestParams(
            protocolVersion=types.LATEST_PROTOCOL_VERSION,
            capabilities=types.ClientCapabilities(),
            clientInfo=DEFAULT_CLIENT_INFO,
        )
        started = self._request(types.InitializeResult, types.InitializeRequest(params=params), deadline)
        if started.protocolVersion not in SUPPORTED_PROTOCOL_VERSIONS:
            raise ValueError(f"Unsupported protocol version from the server: {started.protocolVersion}")
        self._notify(types.InitializedNotification(), deadline)
        return started.serverInfo

    def _list_tools(self, deadline: float) -> Iterator[types.Tool]:
        params = None
        while True:
            listed = self._request(types.ListToolsResult, types.ListToolsRequest(params=params), deadline)
            yield from listed.tools
            if listed.nextCursor is None:
                return
            params = types.PaginatedRequestParams(cursor=listed.nextCursor)

    def _request(self, result_type: type[Result], request: BaseModel, deadline: float) -> Result:
        """Send a request and return its answer. Raises ValueError if the answer is an error, or not a `result_type`."""
        (answer,) = self._answers(self._send_requests([request], deadline), deadline)
        if isinstance(answer, types.JSONRPCError):
            raise ValueError(answer.error.message)
        return result_type.model_validate(answer.result)

    def _send_requests(self, requests: Sequence[BaseModel], deadline: float) -> list[int]:
        """Send several requests in one write. Return the number of each request, which is used to find its answer."""
        numbers = [next(self._numbers) for _ in requests]
        numbered = zip(numbers, map(_json_value, requests), strict=True)
        self.send([{"jsonrpc": "2.0", "id": number, **each} for number, each in numbered], deadline)
        return numbers

    def _notify(self, notification: BaseModel, deadline: float) -> None:
        self.send([{"jsonrpc": "2.0", **_json_value(notification)}], deadline)

    def _answers(self, numbers: Sequence[int], deadline: float, wake_fd: int | None = None) -> list[Answer]:
        """Wait for the answers to the requests with these numbers. Raises ResponseTimeoutError at the deadline, or when
        `wake_fd` becomes readable.
        """
        answers: dict[str, Answer] = {}
        while not all(str(number) in answers for number in numbers):
            match self.receive(deadline, wake_fd):
                case types.JSONRPCResponse() | types.JSONRPCError() as answer:
                    answers[str(answer.id)] = answer
                case types.JSONRPCRequest(id=number, method=method):
                    refusal = {"code": types.METHOD_NOT_FOUND, "message": f"Method not found: {method}"}
                    response = {"result": {}} if method == "ping" else {"error": refusal}
                    self.send([{"jsonrpc": "2.0", "id": number, **response}], deadline)
        return [answers[str(number)] for number in numbers]


def _call_request(name: str, arguments: Arguments) -> types.CallToolRequest:
    return types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(arguments)))


def _json_value(message: BaseModel) -> dict[str, Any]:
    return message.model_dump(by_alias=True, mode="json", exclude_none=True)


def _call_result(answer: Answer) -> types.CallToolResult:
    if isinstance(answer, types.JSONRPCError):
        content = types.TextContent(type="text", text=answer.error.message)
        return types.CallToolResult(content=[content], isError=True)
    # The result is not validated with the schemas of the tools, which the suite does not test.
    return types.CallToolResult.model_validate(answer.result)


def _close_after(wait: Callable[[], None], write_fd: int) -> None:
    try:
        wait()
    finally:
        os.close(write_fd)
