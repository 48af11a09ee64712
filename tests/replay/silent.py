"""Silent: an adapter that declares nothing beyond the file tools, and answers every call with nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import ToolResult, Workspace

__all__ = ["Silent"]


class Silent:
    """Declares nothing of the kind."""

    def open(self, workspace: Workspace) -> Silent:
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("")
