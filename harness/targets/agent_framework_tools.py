"""Runs in a target's own environment: calls the file tools that agent-framework gives the model of an agent."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        framework = importlib.import_module("agent_framework")
        provider = framework.FileAccessProvider(
            framework.FileSystemAgentFileStore(str(workspace.root)),
            disable_readonly_tool_approval=True,
            disable_write_tool_approval=True,
        )
        context = framework.SessionContext(input_messages=[])
        run = {"agent": None, "session": framework.AgentSession(), "context": context, "state": {}}
        asyncio.run(provider.before_run(**run))
        self._tools = {tool.name: tool for tool in context.tools}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool, as the loop of an agent does."""
        answer = asyncio.run(self._tools[tool].invoke(arguments=dict(arguments)))
        return {"text": "\n".join(str(part.text) for part in answer)}


class FileAccess:
    """`FileAccessProvider` with the workspace as its store."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the tools, which remember nothing."""
        return _Session(workspace)
