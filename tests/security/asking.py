from collections.abc import Callable, Mapping
from typing import Any

from readfirst import ToolResult, Workspace


class Asking:
    """Requests the change by another program without end during a call, and never answers the call."""

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
