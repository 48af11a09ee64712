"""The adapter for `mcp:COMMAND`: an MCP server in any language, which uses standard input and output."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIGKILL
from types import MappingProxyType

from mcp import types

from readfirst.harness.adapter_api import (
    NO_ANSWER,
    TIME_LIMIT,
    AdapterError,
    Arguments,
    Interfere,
    ToolResult,
    Workspace,
)
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.adapters.mcp_process import McpServer, ServerInfo
from readfirst.harness.adapters.server_pool import Isolation, ServerPool
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.scenario import CALLS, TOOLS
from readfirst.harness.workspace.workspace_dir import WritableDirs

_SETTINGS, _SCRATCH = "$SETTINGS", "$SCRATCH"
SERVER_CAPABILITIES = frozenset({"kill", "stop", "sessions"})
"""Capabilities that every MCP server supports. They need only the process and the protocol, not the server's tools."""
_START_TIMEOUT_S = 30.0
"""Maximum seconds for the start of a server. If the time limit of a call is longer, the time limit is used instead."""


class McpConnection:
    """Starts MCP servers with one command, for all sessions of an adapter. The tools of the servers can have any names.
    In the command and in `variables`, `$WS`, `$HOME`, `$SETTINGS` and `$SCRATCH` are replaced.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        isolation: Isolation = "auto",  # determines the sessions that share a server
        time_limit: float = TIME_LIMIT,
        environment: Mapping[str, str] | None = None,  # default: the environment of the harness
        variables: Mapping[str, str] = MappingProxyType({}),  # added to `environment`
        offline: bool = False,
        sandbox: Sandbox | None = None,  # a server can then write only to its workspaces and home
        render: Callable[[types.CallToolResult], str] | None = None,  # converts the result of a call to text
    ) -> None:
        # $SETTINGS is a settings file with the workspace's deny rules, $SCRATCH a new empty directory.
        all_words = (*command, *variables.values())
        self.takes_settings = any(_SETTINGS in word for word in command)
        self.time_limit = time_limit
        """Maximum seconds of one call."""
        self._render = render or text_of
        self._command = tuple(command)
        self._environment = environment
        self._variables = variables
        self._uses_scratch = any(_SCRATCH in word for word in all_words)
        self._offline = offline
        self._sandbox = sandbox
        self._scratch_dirs = Scratch()
        named = [name for name in ("$WS", "$HOME") if any(name in word for word in all_words)]
        bound = f"the command names {' and '.join(named)}" if named else ""
        self.servers = ServerPool(self._start, self._scratch_dirs.path / "home", isolation, bound)

    def probe(self) -> ServerInfo:
        """Start a server in an empty directory, return its name, version and tools, and end it. Raises AdapterError."""
        root = self._scratch_dirs.folder()
        server = self._start(Workspace(root, root), root)
        server.end()
        return server.offer

    def open(self, workspace: Workspace) -> McpSession:
        """Open a session in a workspace. The session uses a new server or a running server."""
        return McpSession(*self.servers.server(workspace), self.time_limit, self._render)

    @property
    def traits(self) -> AdapterTraits:
        """The properties of every adapter with this connection. They do not depend on the tools of the server."""
        return AdapterTraits(
            SERVER_CAPABILITIES,
            reuses_paths=self.servers.isolation != "directory",
            servers=self.servers,
            reset=self.servers.reset,
            close=self.close,
        )

    def close(self) -> None:
        """End all servers that the connection has started."""
        self.servers.reset()
        self._scratch_dirs.close()

    def _start(self, workspace: Workspace, directory: Path) -> McpServer:
        home, is_separate, writable = workspace.home, {}, []
        if self._sandbox is not None:
            writable_dirs = WritableDirs.of(workspace.root)
            writable_dirs.make()
            home, is_separate = writable_dirs.home, {"TMPDIR": str(writable_dirs.temporary)}
            writable.append(writable_dirs.folder)
        placeholders = {"$WS": str(workspace.root), "$HOME": str(home)}
        if self._uses_scratch:
            writable.append(self._scratch_dirs.folder())
            placeholders[_SCRATCH] = str(writable[-1])
        if self.takes_settings:
            settings = self._scratch_dirs.folder() / "settings.json"
            settings.write_text(json.dumps({"permissions": {"deny": list(workspace.deny)}}))
            placeholders[_SETTINGS] = str(settings)
        environment = dict(os.environ if self._environment is None else self._environment)
        variables = {name: _fill_placeholders(value, placeholders) for name, value in self._variables.items()}
        return McpServer(
            [_fill_placeholders(word, placeholders) for word in self._command],
            max(_START_TIMEOUT_S, self.time_limit),
            directory=directory,
            environment=environment | variables | {"HOME": str(home)} | is_separate,
            offline=self._offline,
            sandbox=self._sandbox,
            writable=writable,
        )


class McpAdapter:
    """Adapter for a server with tools named Read, Edit and so on. Raises AdapterError if these tools are missing."""

    def __init__(self, connection: McpConnection) -> None:
        self._connection = connection
        offered = connection.probe().names
        tools = [tool for tool in CALLS if tool in offered]
        if not set(tools) & set(TOOLS):
            there = ", ".join(offered) or "none"
            raise AdapterError(
                f"the server offers no tool called {', '.join(TOOLS[:3])} (it offers: {there}). "
                "Rename them, or start a mapping: readfirst targets new-mapping 'mcp:COMMAND'"
            )
        named = {*tools, "parallel", *(["deny"] if connection.takes_settings else [])}
        self.traits = replace(connection.traits, capabilities=SERVER_CAPABILITIES | named)

    def open(self, workspace: Workspace) -> McpSession:
        """Open a session in a workspace. The session uses a new server or a running server."""
        return self._connection.open(workspace)

    def close(self) -> None:
        """End all servers that the adapter has started."""
        self._connection.close()


@dataclass(slots=True)
class McpSession:
    """A session that calls the tools of a server. If the server is not shared, closing the session ends the server."""

    _server: McpServer
    _is_separate: bool
    _time_limit: float
    _render: Callable[[types.CallToolResult], str]

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Call one tool of the server, and return the result."""
        return self._result(self._server.call(tool, arguments, self._time_limit))

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Send all calls of one message at once, and return their results. The server may run the calls in parallel."""
        return [*map(self._result, self._server.calls(calls, "the parallel group", self._time_limit))]

    def call_interrupted(
        self, tool: str, arguments: Arguments, _how: str, interfere: Interfere
    ) -> ToolResult:
        """Send one call to the server, call `interfere`, and cancel the call to the server when `interfere` returns."""
        result = self._server.call_and_cancel(tool, arguments, interfere, self._time_limit)
        return NO_ANSWER if result is None else self._result(result)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the server, or send it the signal `number`."""
        return self._server.kill(number)

    def _result(self, answer: types.CallToolResult) -> ToolResult:
        return ToolResult(self._render(answer), bool(answer.isError))

    def close(self) -> None:
        """End the server if this session does not share the server with other sessions."""
        if self._is_separate:
            self._server.end()


def text_of(result: types.CallToolResult) -> str:
    """Return the text blocks of an answer, one per line. For another block, the line is the type, such as `[image]`."""
    return "\n".join(
        block.text if isinstance(block, types.TextContent) else f"[{block.type}]" for block in result.content
    )


def _fill_placeholders(text: str, placeholders: Mapping[str, str]) -> str:
    for name, value in placeholders.items():
        text = text.replace(name, value)
    return text
