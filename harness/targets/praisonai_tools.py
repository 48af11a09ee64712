"""Runs in a target's own environment: calls the file tools of praisonaiagents, as an agent with these functions does.

The functions confine themselves to the working directory, which is the workspace, and the hashes of what was read are
kept for the process: what earlier sessions read is forgotten.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, workspace: Workspace) -> None:
        edit = importlib.import_module("praisonaiagents.tools.edit_tools").EditTools(root=str(workspace.root))
        file = importlib.import_module("praisonaiagents.tools.file_tools").FileTools()
        self._tools = {
            "read_file": file.read_file,
            "edit_file": edit.edit_file,
            "write_file": file.write_file,
        }

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call one function; a model sees what it returns as text."""
        return {"text": str(self._tools[tool](**arguments))}


class FileTools:
    """The functions `read_file`, `edit_file` and `write_file`."""

    def open(self, workspace: Workspace) -> _Session:
        """Make the tools, and forget what earlier sessions read."""
        importlib.import_module("praisonaiagents.tools._file_locks")._read_hashes.clear()
        return _Session(workspace)
