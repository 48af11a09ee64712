"""Runs in a target's own environment: calls the file tools of gptme, as its agent does for the format `tool`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace

_TOOLS = ("read", "save", "patch")


class _Session:
    def __init__(self) -> None:
        self._use = importlib.import_module("gptme.tools").ToolUse

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Use one tool; a model sees the messages of the system."""
        use = self._use(tool, None, None, dict(arguments), "1", "tool")
        return "\n".join(message.content for message in use.execute())


class FileTools:
    """The three file tools, which keep nothing from one call to the next.

    They write their settings, once, into the home of this process, which is no session's.
    """

    def __init__(self) -> None:
        importlib.import_module("gptme.tools").init_tools(list(_TOOLS))

    def open(self, workspace: Workspace) -> _Session:  # noqa: ARG002 - the process is in it
        """Return a session."""
        return _Session()
