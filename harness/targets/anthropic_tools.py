"""Runs in a target's own environment: calls the agent toolset of Anthropic's client library as its tool runner does."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        module = importlib.import_module("anthropic.lib.tools.agent_toolset")
        context = module.AgentToolContext(workdir=str(workspace.root))
        self._tools = {tool.name: tool for tool in module.beta_agent_toolset_20260401(context)}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool; a refusal is an exception, which its runner gives the model as an error."""
        answer = asyncio.run(self._tools[tool].call(dict(arguments)))
        return {"text": answer if isinstance(answer, str) else "\n".join(map(_text, answer))}


def _text(block: Mapping[str, Any]) -> str:
    return str(block.get("text", f"[{block['type']}]"))


class AgentToolset:
    """`beta_agent_toolset_20260401` with the workspace as its working directory."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the tools, which remember nothing."""
        return _Session(workspace)
