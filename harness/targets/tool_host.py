"""Runs in a target's own environment: offers its tools, under their own names, as an adapter.

The variable READFIRST_TARGET (JSON) says what to make. Standard library only, because nothing else is there.
An answer is one text: `{"value": ...}` in JSON types, or `{"raised": ...}` with an exception of the tool.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from readfirst.harness.session import ToolResult, Workspace

MODULE = "readfirst.harness.targets.tool_host"
ORDER = "READFIRST_TARGET"
"""The variable that says what to make."""


class Tools:
    """What the mapping's section `python` says: an object, a module, or code that defines `call`."""

    def __init__(self) -> None:
        order = json.loads(os.environ[ORDER])
        self._arguments: Mapping[str, Any] = order.get("arguments") or {}
        self._make = _find(order["make"]) if order.get("make") else None
        self._module = importlib.import_module(order["module"]) if order.get("module") else None
        self._once: dict[str, Any] = {"__name__": "code"}
        exec(order.get("once") or "", self._once)
        self._code = compile(order["code"], "code", "exec") if order.get("code") else None

    def open(self, workspace: Workspace) -> HostedSession:
        """Make the tools of one scenario; the process is then in the workspace."""
        os.chdir(workspace.root)
        os.environ["HOME"] = str(workspace.home)
        if self._code is not None:
            names = {**self._once, "workspace": str(workspace.root)}
            exec(self._code, names)
            return HostedSession(names["call"], names.get("close"))
        made = self._module
        if self._make is not None:
            made = self._make(**_placed(self._arguments, workspace))
        return HostedSession(lambda tool, /, **arguments: getattr(made, tool)(**arguments))


class HostedSession:
    """Calls the target's tools, and puts every answer into JSON types."""

    def __init__(self, call: Callable[..., Any], close: Callable[[], None] | None = None) -> None:
        self._call = call
        self._close = close

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call one tool by its own name."""
        try:
            answer: dict[str, Any] = {"value": plain(self._call(tool, **arguments))}
        except Exception as error:
            answer = {"raised": f"{type(error).__name__}: {error}"[:20000]}
        return ToolResult(json.dumps(answer))

    def close(self) -> None:
        """End the target's session, if it has an end."""
        if self._close is not None:
            self._close()


def plain(value: Any) -> Any:
    """Return a value in JSON types; what has none of its own becomes its attributes, or its text."""
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


def _find(name: str) -> Any:
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _placed(value: Any, workspace: Workspace) -> Any:
    match value:
        case str():
            return value.replace("$WS", str(workspace.root)).replace("$HOME", str(workspace.home))
        case list():
            return [_placed(item, workspace) for item in value]
        case dict():
            return {key: _placed(item, workspace) for key, item in value.items()}
        case _:
            return value
