"""Runs in a target's own environment: calls the file tools of agentscope through its toolkit, as its agent does."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace

_TOOLS = ("Read", "Edit", "Write")


class _Session:
    def __init__(self) -> None:
        module = importlib.import_module("agentscope.tool")
        self._toolkit = module.Toolkit(tools=[getattr(module, name)() for name in _TOOLS])
        self._state = importlib.import_module("agentscope.state").AgentState()
        self._block = importlib.import_module("agentscope.message").ToolCallBlock

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool; the state holds what was read."""
        block = self._block(id="1", name=tool, input=json.dumps(dict(arguments)))
        response = asyncio.run(self._last(block))
        text = "\n".join(getattr(part, "text", f"[{part.type}]") for part in response.content)
        return {"text": text, "state": getattr(response.state, "value", response.state)}

    async def _last(self, block: Any) -> Any:
        """Return the last thing that the toolkit yields, which is the whole answer."""
        return [each async for each in self._toolkit.call_tool(block, self._state)][-1]


class FileTools:
    """The three file tools with an agent state of their own for every session."""

    def open(self, workspace: Workspace) -> _Session:  # noqa: ARG002 - the paths say where files are
        """Make the tools and a state in which nothing was read."""
        return _Session()
