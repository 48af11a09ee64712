"""The adapter `mcp:<command>`: any MCP server over standard input and output, in any language."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from mcp import types

from harness.adapters.mcp_server import McpServer
from harness.scenario import TOOLS
from harness.session import BrokenAdapter, ToolResult, Workspace

__all__ = ["Isolation", "McpAdapter", "McpConnection", "McpSession", "text_of"]

Isolation = Literal["process", "directory"]
_SETTINGS = "$SETTINGS"
_START = 30.0
"""Seconds that a start may take at least; the time limit, if that is longer."""


class McpConnection:
    """Starts servers of one command, where `$WS`, `$HOME` and `$SETTINGS` stand for a workspace's own.

    `process`: a server per workspace, with the workspace as its directory. `directory`: one server in the folder
    above all workspaces, but for those that ask to be alone. `environment` is all that the server gets beside HOME,
    None: what the harness has; in given ones `$SCRATCH`
    stands for an empty folder of the server's own. `$SETTINGS` becomes a settings file with the workspace's deny rules.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        isolation: Isolation = "process",
        time_limit: float = 30.0,
        environment: Mapping[str, str] | None = None,
        offline: bool = False,
    ) -> None:
        self.isolation = isolation
        self.takes_settings = any(_SETTINGS in word for word in command)
        self._command = tuple(command)
        self._time_limit = time_limit
        self._environment = environment
        self._offline = offline
        self._shared: dict[Path, McpServer] = {}
        self._own = tempfile.TemporaryDirectory(prefix="readfirst-mcp-")

    @property
    def time_limit(self) -> float:
        """Seconds that one call may take."""
        return self._time_limit

    def probe(self) -> tuple[str, ...]:
        """Start a server in an empty directory, and return the names of its tools. Raises BrokenAdapter."""
        root = Path(tempfile.mkdtemp(dir=os.path.realpath(self._own.name)))
        server = self._start(Workspace(root, root), root)
        server.end()
        return server.tools

    def server(self, workspace: Workspace) -> tuple[McpServer, bool]:
        """Return a server for the workspace, and whether it is the workspace's own."""
        if self.isolation == "process" or workspace.isolated:
            return self._start(workspace, workspace.root), True
        folder = workspace.root.parents[1]
        shared = self._shared.get(folder)
        if shared is None or not shared.alive:
            home = Path(self._own.name, "home")
            home.mkdir(exist_ok=True)
            shared = self._shared[folder] = self._start(Workspace(folder, home), folder)
        return shared, False

    def close(self) -> None:
        """End every server."""
        while self._shared:
            self._shared.popitem()[1].end()
        self._own.cleanup()

    def _start(self, workspace: Workspace, directory: Path) -> McpServer:
        places = {"$WS": str(workspace.root), "$HOME": str(workspace.home)}
        if self._environment is not None:
            places["$SCRATCH"] = tempfile.mkdtemp(dir=self._own.name)
        if self.takes_settings:
            settings = Path(self._own.name, "settings.json")
            settings.write_text(json.dumps({"permissions": {"deny": list(workspace.deny)}}))
            places[_SETTINGS] = str(settings)
        if self._environment is None:
            variables = dict(os.environ)
        else:
            variables = {name: _placed(value, places) for name, value in self._environment.items()}
        return McpServer(
            [_placed(word, places) for word in self._command],
            directory,
            variables | {"HOME": str(workspace.home)},
            start_limit=max(_START, self._time_limit),
            offline=self._offline,
        )


class McpAdapter:
    """A server that offers Read, Edit and so on under these names.

    Raises BrokenAdapter where it offers none of them, or does not start.
    """

    def __init__(self, connection: McpConnection) -> None:
        self._connection = connection
        self.repeats_paths = connection.isolation == "process"
        offered = connection.probe()
        tools = [tool for tool in TOOLS if tool in offered]
        if not tools:
            there = ", ".join(offered) or "none"
            raise BrokenAdapter(
                f"the server offers no tool called {', '.join(TOOLS[:3])} (it offers: {there}). "
                "Rename them, or write a mapping: docs/targets.md"
            )
        self.capabilities = frozenset({*tools, *(["deny"] if connection.takes_settings else [])})

    def open(self, workspace: Workspace) -> McpSession:
        """Start or reuse a server."""
        server, own = self._connection.server(workspace)
        return McpSession(server, own, self._connection.time_limit)

    def close(self) -> None:
        """End every server."""
        self._connection.close()


class McpSession:
    """One scenario on a server; ends the server afterwards where it is the scenario's own."""

    def __init__(self, server: McpServer, own: bool, time_limit: float) -> None:
        self._server = server
        self._own = own
        self._time_limit = time_limit

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Let the server execute one call."""
        result = self.answer(tool, arguments)
        return ToolResult(text_of(result), bool(result.isError))

    def answer(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Let the server execute one call, and return its answer as it came."""
        return self._server.call(name, arguments, self._time_limit)

    def close(self) -> None:
        """End the server if nothing else uses it."""
        if self._own:
            self._server.end()


def text_of(result: types.CallToolResult) -> str:
    """Return the text blocks of an answer, one after the other; other blocks by their kind, `[image]`."""
    shown: Callable[[Any], str] = lambda block: (  # noqa: E731 - one expression
        block.text if isinstance(block, types.TextContent) else f"[{block.type}]"
    )
    return "\n".join(map(shown, result.content))


def _placed(text: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        text = text.replace(name, value)
    return text
