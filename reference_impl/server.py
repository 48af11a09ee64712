"""The reference implementation as an MCP server over standard input and output."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from readfirst.reference_impl.contract import DEFAULT_CONTRACT
from readfirst.reference_impl.file_tools import FileTools, Result
from readfirst.reference_impl.session.rules import PermissionRuleError
from readfirst.reference_impl.text.content import well_formed

__all__ = ["SettingsError", "deny_rules", "serve"]

_USAGE_ERROR = 2
_CHUNK = 1 << 16
_TURNS = 20
"""Turns of the event loop; a message takes about half as many from standard input to the tools, or back."""


class SettingsError(Exception):
    """The settings file cannot be used; the message names file, place and remedy."""


def deny_rules(settings: Path) -> Sequence[str]:
    """Return `permissions.deny` of a Claude Code settings file. SettingsError: it is none."""
    try:
        value = json.loads(settings.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{settings}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{settings}: is not UTF-8 text") from None
    except RecursionError:
        raise SettingsError(f"{settings}: is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise SettingsError(f"{settings}:{error.lineno}:{error.colno}: is not JSON: {error.msg}") from None
    permissions = value.get("permissions", {}) if isinstance(value, dict) else None
    rules = permissions.get("deny", []) if isinstance(permissions, dict) else None
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise SettingsError(
            f'{settings}: write the rules as {{"permissions": {{"deny": ["Edit(secret/**)"]}}}}: an array of strings'
        )
    return rules


def serve(contract: str = DEFAULT_CONTRACT, root: Path | None = None, settings: Path | None = None) -> None:
    """Serve the tools until standard input ends.

    `root` is the directory that relative paths begin at (default: the current directory), `settings` a Claude Code
    settings file whose `permissions.deny` holds. Results are one text block; a refusal has `isError` set. Arguments
    are not checked against the advertised schemas, so that wrong ones get the tool's own answer. Calls that arrive
    together are one message, as for `FileTools.call_parallel`.
    SystemExit 2: unknown contract, no such directory, or a bad settings file.
    """
    directory = Path.cwd() if root is None else root
    try:
        if not directory.is_dir():
            raise SettingsError(f"{directory}: is not a directory; --root must name one")
        rules = [] if settings is None else deny_rules(settings)
        tools = FileTools(contract, root=directory.resolve(), home=os.environ.get("HOME"), deny=rules)
    except PermissionRuleError as error:
        _give_up(f"{settings}: permissions.deny: {error}")
    except (SettingsError, ValueError) as error:
        _give_up(str(error))
    anyio.run(_serve, tools)


def _give_up(message: str) -> None:
    print(f"readfirst serve: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


@dataclass(slots=True)
class _Call:
    """A call that arrived, and its result once `done`."""

    tool: str
    arguments: Mapping[str, Any]
    done: anyio.Event = field(default_factory=anyio.Event)
    result: Result | None = None


class _Output:
    """Standard output; a line is written at once. `lines` counts them."""

    def __init__(self) -> None:
        self.lines = 0

    async def write(self, line: str) -> None:
        sys.stdout.buffer.write(line.encode())
        self.lines += 1

    async def flush(self) -> None:
        sys.stdout.buffer.flush()


class _Input:
    """The lines of standard input; `quiet` is set while all that has arrived was handed on.

    It ends once all calls are answered: the server drops what it has not answered by then.
    """

    def __init__(self, output: _Output) -> None:
        self._output = output
        self.quiet = anyio.Event()
        self.unanswered = 0

    async def __aiter__(self) -> AsyncIterator[str]:
        parts: list[bytes] = []  # of a line without an end
        while data := await anyio.to_thread.run_sync(os.read, 0, _CHUNK):
            if self.quiet.is_set():  # who waits for it still does where a message comes in pieces
                self.quiet = anyio.Event()
            first, *others = data.split(b"\n")
            parts.append(first)
            for each in others:
                yield b"".join(parts).decode("utf-8", "replace")
                parts = [each]
            if not any(parts):
                self.quiet.set()
        if any(parts):
            yield b"".join(parts).decode("utf-8", "replace")
        self.quiet.set()
        written = -1
        while self.unanswered or written != self._output.lines:
            written = self._output.lines
            await _turns()


async def _turns() -> None:
    """Let pass what it takes for a message to get through the queues of the protocol."""
    for _ in range(_TURNS):
        await anyio.lowlevel.checkpoint()


async def _serve(tools: FileTools) -> None:
    written = _Output()
    arrived = _Input(written)
    asked: MemoryObjectSendStream[_Call]
    asked, calls = anyio.create_memory_object_stream[_Call](math.inf)
    server = server_of(tools, arrived, asked)
    transport = stdio_server(cast(Any, arrived), cast(Any, written))
    async with anyio.create_task_group() as group, transport as (incoming, outgoing):
        group.start_soon(_execute, tools, arrived, calls)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _execute(tools: FileTools, arrived: _Input, calls: MemoryObjectReceiveStream[_Call]) -> None:
    """Execute the calls; those that have arrived by the time that nothing else is on its way are one message."""
    async for call in calls:
        while True:
            quiet = arrived.quiet
            await quiet.wait()
            await _turns()
            if quiet is arrived.quiet:
                break
        message = [call, *(calls.receive_nowait() for _ in range(calls.statistics().current_buffer_used))]
        results = tools.call_parallel([(each.tool, each.arguments) for each in message])
        for each, result in zip(message, results, strict=True):
            each.result = result
            each.done.set()


def server_of(tools: FileTools, arrived: _Input, asked: MemoryObjectSendStream[_Call]) -> Server[Any, Any]:
    """Return the MCP server of one session, which hands the calls on as they are `asked`."""
    server: Server[Any, Any] = Server("readfirst-reference")

    async def list_tools(request: types.ListToolsRequest) -> types.ServerResult:  # noqa: ARG001 - a handler gets it
        offered = [
            types.Tool(name=schema.tool, description=schema.description, inputSchema=schema.json_schema())
            for schema in tools.schemas
        ]
        return types.ServerResult(types.ListToolsResult(tools=offered))

    async def call_tool(request: types.CallToolRequest) -> types.ServerResult:
        call = _Call(request.params.name, request.params.arguments or {})
        arrived.unanswered += 1
        try:
            await asked.send(call)
            await call.done.wait()
        finally:
            arrived.unanswered -= 1
        assert call.result is not None
        block = types.TextContent(type="text", text=well_formed(call.result.text))
        return types.ServerResult(types.CallToolResult(content=[block], isError=call.result.is_error))

    # The handlers are set directly: the decorators would check arguments before the tools see them.
    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server
