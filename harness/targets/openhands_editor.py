"""Runs in a target's own environment: calls the file editor of openhands-tools as its agent does."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace

__all__ = ["FileEditor"]


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        executor = importlib.import_module("openhands.tools.file_editor.impl").FileEditorExecutor
        self._action = importlib.import_module("openhands.tools.file_editor.definition").FileEditorAction
        self._execute = executor(workspace_root=str(workspace.root))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - there is one
        """Execute one action; wrong arguments raise what the agent would see."""
        observation = self._execute(self._action(**arguments))
        return {"text": observation.text, "is_error": observation.is_error}


class FileEditor:
    """`FileEditorExecutor` with the workspace as its root."""

    def open(self, workspace: Workspace) -> _Session:
        """Make an executor, which remembers nothing yet."""
        return _Session(workspace)
