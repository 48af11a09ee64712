"""Runs in a target's own environment: calls the environment tools of google-adk as its agent does.

They are coroutines, and answer with a status and one of `error`, `message` and `content`; it becomes `text`.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        environment = importlib.import_module("google.adk.environment").LocalEnvironment
        toolset = importlib.import_module("google.adk.tools.environment").EnvironmentToolset
        made = toolset(environment=environment(working_dir=workspace.root))
        self._tools = {tool.name: tool for tool in asyncio.run(made.get_tools())}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool."""
        answer = asyncio.run(self._tools[tool].run_async(args=dict(arguments), tool_context=None))
        text = next(str(answer[key]) for key in ("error", "message", "content") if key in answer)
        return {"text": text, "status": answer["status"]}


class EnvironmentTools:
    """`EnvironmentToolset` with the workspace as the directory of a `LocalEnvironment`."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the tools, which remember nothing."""
        return _Session(workspace)
