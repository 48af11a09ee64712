"""Runs in a target's own environment: calls the file editor of openhands-tools as its agent does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, execute: Callable[[Any], Any], action: Callable[..., Any]) -> None:
        self._execute = execute
        self._action = action

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - there is one
        """Execute one action; wrong arguments raise what the agent would see."""
        observation = self._execute(self._action(**arguments))
        return {"text": observation.text, "is_error": observation.is_error}


class FileEditor:
    """`FileEditorExecutor` with the workspace as its root; what it needs is imported at the start, which takes time."""

    def __init__(self) -> None:
        self._executor = importlib.import_module("openhands.tools.file_editor.impl").FileEditorExecutor
        self._action = importlib.import_module("openhands.tools.file_editor.definition").FileEditorAction

    def open(self, workspace: Workspace) -> _Session:
        """Make an executor, which remembers nothing yet."""
        return _Session(self._executor(workspace_root=str(workspace.root)), self._action)
