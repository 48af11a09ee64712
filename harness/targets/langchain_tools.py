"""Runs in a target's own environment: calls LangChain tools as LangGraph's tool node does.

The tools of these middlewares want a `runtime` beside their arguments. An answer is a message, or a command that
carries one; both become `{"text", "status", "command"}`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, tools: list[Any]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._state: dict[str, Any] = {"messages": [], "files": {}}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Invoke one tool."""
        runtime = importlib.import_module("langchain.tools").ToolRuntime(
            state=self._state, context=None, config={}, stream_writer=None, tool_call_id="1", store=None
        )
        call = {"type": "tool_call", "id": "1", "name": tool, "args": {**arguments, "runtime": runtime}}
        answer = self._tools[tool].invoke(call)
        update = getattr(answer, "update", None)
        command = isinstance(update, dict)
        message = update["messages"][-1] if command and update is not None else answer
        return {"text": _text(message.content), "status": message.status, "command": command}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", f"[{block.get('type')}]") for block in content)


class DeepAgents:
    """`FilesystemMiddleware` on the real file system, without its virtual mode."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the middleware's tools for one workspace."""
        middleware = importlib.import_module("deepagents.middleware.filesystem").FilesystemMiddleware
        backend = importlib.import_module("deepagents.backends").FilesystemBackend
        return _Session(middleware(backend=backend(root_dir=str(workspace.root), virtual_mode=False)).tools)


class TextEditor:
    """`FilesystemClaudeTextEditorMiddleware` with the workspace as its root."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the middleware's tool for one workspace."""
        module = importlib.import_module("langchain_anthropic.middleware")
        return _Session(module.FilesystemClaudeTextEditorMiddleware(root_path=str(workspace.root)).tools)
