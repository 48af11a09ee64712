"""Fast mode: the product as an MCP server, `mcp serve`, and the reference as it behaves there.

It executes the same tools some twenty times as fast, and differs from what a model sees: arguments are not
checked, whitespace stays as given, no message ends so no changed file is noticed, permissions do not
apply, and a success is reported as JSON. So files, refusals and their names are compared, and only these.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import BASIC_CAPABILITIES, TIME_LIMIT, Session, ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.adapters.mcp import McpConnection, McpSession
from readfirst.harness.agents.claude_code.environment import build_environment
from readfirst.harness.agents.claude_code.install import install
from readfirst.harness.processes.listener import PORT
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.reference_impl import FileTools, behaviours_of
from readfirst.reference_impl.text.content import WHITESPACE

_TOOLS = BASIC_CAPABILITIES | {"NotebookEdit"}
_NO_PORT = "9"
"""Nobody listens there: the server asks no model."""


class FastProduct:
    """The product of one exact version through MCP, offline and in an environment of its own.

    `time_limit` is in seconds per call. Raises BrokenAdapter where it cannot be installed or does not start.
    """

    def __init__(self, version: str, *, cache: Path | None = None, time_limit: float = TIME_LIMIT) -> None:
        package = install(version, cache)
        self._own = Scratch()
        variables = build_environment(self._own.path, Path(package.command[0]))
        self._connection = McpConnection(
            [*package.command, "mcp", "serve"],
            isolation="directory",
            time_limit=time_limit,
            environment={name: value.replace(PORT, _NO_PORT) for name, value in variables.items()},
            offline=True,
        )
        self.traits = AdapterTraits(_TOOLS, close=self.close)

    def open(self, workspace: Workspace) -> Session:
        """Start or reuse the server."""
        return _FastSession(self._connection.open(workspace))

    def close(self) -> None:
        """End the server."""
        self._connection.close()
        self._own.close()


class _FastSession:
    def __init__(self, session: McpSession) -> None:
        self._session = session

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Execute one call; a success is reported without its text."""
        result = self._session.call(tool, arguments)
        if not result.is_error:
            failure = json.loads(result.text).get("error") if tool == "NotebookEdit" else None
            return ToolResult(failure, True) if failure else ToolResult("done")
        return ToolResult(result.text.removeprefix(f"Tool {tool} input is invalid: ").strip(WHITESPACE), True)

    def close(self) -> None:
        """End the server if it is this session's own."""
        self._session.close()


class FastReference:
    """The reference with the behaviours that the product has through MCP. ValueError: unknown contract."""

    traits = AdapterTraits(_TOOLS, reuses_paths=True)

    def __init__(self, contract: str) -> None:
        self._behaviours = behaviours_of(contract).changed(
            changed_own_writes_are_reread=False,
            trailing_whitespace_is_stripped=False,
        )

    def open(self, workspace: Workspace) -> Session:
        """Start with nothing read."""
        return _ReferenceSession(FileTools(self._behaviours, root=workspace.root, home=workspace.home))


class _ReferenceSession:
    def __init__(self, tools: FileTools) -> None:
        self._tools = tools

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Execute one call; a success is reported without its text."""
        result = self._tools.call(tool, arguments)
        return ToolResult(result.text.strip(WHITESPACE), True) if result.is_error else ToolResult("done")
