"""Runs in a target's own environment: calls the file tools of nanobot through its registry, as its agent does."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.session import Workspace

_TOOLS = ("ReadFileTool", "WriteFileTool", "EditFileTool")


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        module = importlib.import_module("nanobot.agent.tools.filesystem")
        states = importlib.import_module("nanobot.agent.tools.file_state").FileStates()
        self._registry = importlib.import_module("nanobot.agent.tools.registry").ToolRegistry()
        for name in _TOOLS:
            self._registry.register(getattr(module, name)(workspace=workspace.root, file_states=states))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool; wrong arguments are refused by the registry."""
        answer = asyncio.run(self._registry.execute(tool, dict(arguments)))
        return {"text": str(answer), "is_error": getattr(answer, "is_error", False)}


class FileTools:
    """The three file tools, which share what they know of files for one session.

    A call makes the folder of its settings, which is therefore in the home of this process and in no session's.
    """

    def __init__(self) -> None:
        settings = importlib.import_module("nanobot.config.loader")
        settings.set_config_path(Path.home() / ".nanobot" / "config.json")

    def open(self, workspace: Workspace) -> _Session:
        """Make the tools, which have read nothing."""
        return _Session(workspace)
