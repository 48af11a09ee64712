"""An implementation that requests the change by another program again and again during a call, and never answers."""

from collections.abc import Callable, Mapping
from typing import Any

from readfirst import ToolResult, Workspace


class Asking:
    capabilities = frozenset({"Read", "Edit", "Write", "during"})

    def open(self, workspace: Workspace) -> "Asking":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult("done")

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        while True:
            interfere()
