"""Adapter that runs in the environment of a target and calls the target's tools by their own names.

The variable READFIRST_TARGET (JSON) contains the code that defines the tools. This module only uses the standard
library, because the environment contains only the target. The text of an answer is JSON: `{"value": ...}`, or
`{"raised": ...}` with an exception of the tool.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from readfirst.harness.adapter_api import ToolResult, Workspace

MODULE = "readfirst.observatory.targets.tool_host"
ORDER = "READFIRST_TARGET"
"""The name of the environment variable that contains the code of the target, as JSON."""


class Tools:
    """Opens sessions with the tools that the code in the section `python` of the mapping file defines."""

    def __init__(self) -> None:
        order = json.loads(os.environ[ORDER])
        self._once: dict[str, Any] = {"__name__": "code"}
        exec(order["once"], self._once)
        self._code = compile(order["code"], "code", "exec")

    def open(self, workspace: Workspace) -> HostedSession:
        """Start a session for one scenario. The working directory of the process becomes the workspace."""
        os.chdir(workspace.root)
        os.environ["HOME"] = str(workspace.home)
        names = {**self._once, "workspace": str(workspace.root)}
        exec(self._code, names)
        return HostedSession(names["call"], names.get("close"))


class HostedSession:
    """The session of one scenario: calls the target's tools, and converts their answers to JSON."""

    def __init__(self, call: Callable[..., Any], close: Callable[[], None] | None = None) -> None:
        self._call = call
        self._close = close

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call one of the target's tools. The result is JSON: the returned `value`, or the exception (`raised`)."""
        try:
            answer: dict[str, Any] = {"value": plain(self._call(tool, **arguments))}
        except Exception as error:
            answer = {"raised": f"{type(error).__name__}: {error}"[:20000]}
        return ToolResult(json.dumps(answer))

    def close(self) -> None:
        """Call the target's `close()`, if it defines one."""
        if self._close is not None:
            self._close()


def plain(value: Any) -> Any:
    """Convert a tool's returned value to JSON: dataclasses and pydantic models to objects, other classes to texts."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return str(value)
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    return str(value)
