"""The reference implementation as an MCP server over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from readfirst.reference_impl.contract import DEFAULT_CONTRACT
from readfirst.reference_impl.file_tools import FileTools
from readfirst.reference_impl.session.rules import PermissionRuleError
from readfirst.reference_impl.text.content import well_formed

__all__ = ["SettingsError", "deny_rules", "serve"]

_USAGE_ERROR = 2


class SettingsError(Exception):
    """The settings file cannot be used; the message names file, place and remedy."""


def deny_rules(settings: Path) -> Sequence[str]:
    """Return `permissions.deny` of a Claude Code settings file. SettingsError: it is none."""
    try:
        value = json.loads(settings.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{settings}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{settings}: is not UTF-8 text") from None
    except RecursionError:
        raise SettingsError(f"{settings}: is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise SettingsError(f"{settings}:{error.lineno}:{error.colno}: is not JSON: {error.msg}") from None
    permissions = value.get("permissions", {}) if isinstance(value, dict) else None
    rules = permissions.get("deny", []) if isinstance(permissions, dict) else None
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise SettingsError(
            f'{settings}: write the rules as {{"permissions": {{"deny": ["Edit(secret/**)"]}}}}: an array of strings'
        )
    return rules


def serve(contract: str = DEFAULT_CONTRACT, root: Path | None = None, settings: Path | None = None) -> None:
    """Serve the tools until standard input ends.

    `root` is the directory that relative paths begin at (default: the current directory), `settings` a Claude Code
    settings file whose `permissions.deny` holds. Results are one text block; a refusal has `isError` set. Arguments
    are not checked against the advertised schemas, so that wrong ones get the tool's own answer.
    SystemExit 2: unknown contract, no such directory, or a bad settings file.
    """
    directory = Path.cwd() if root is None else root
    try:
        if not directory.is_dir():
            raise SettingsError(f"{directory}: is not a directory; --root must name one")
        rules = [] if settings is None else deny_rules(settings)
        tools = FileTools(contract, root=directory.resolve(), home=os.environ.get("HOME"), deny=rules)
    except PermissionRuleError as error:
        _give_up(f"{settings}: permissions.deny: {error}")
    except (SettingsError, ValueError) as error:
        _give_up(str(error))
    anyio.run(_serve, tools)


def _give_up(message: str) -> None:
    print(f"readfirst serve: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


async def _serve(tools: FileTools) -> None:
    server = server_of(tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def server_of(tools: FileTools) -> Server[Any, Any]:
    """Return the MCP server of one session."""
    server: Server[Any, Any] = Server("readfirst-reference")

    async def list_tools(request: types.ListToolsRequest) -> types.ServerResult:  # noqa: ARG001 - a handler gets it
        offered = [
            types.Tool(name=schema.tool, description=schema.description, inputSchema=schema.json_schema())
            for schema in tools.schemas
        ]
        return types.ServerResult(types.ListToolsResult(tools=offered))

    async def call_tool(request: types.CallToolRequest) -> types.ServerResult:
        result = tools.call(request.params.name, request.params.arguments or {})
        block = types.TextContent(type="text", text=well_formed(result.text))
        return types.ServerResult(types.CallToolResult(content=[block], isError=result.is_error))

    # The handlers are set directly: the decorators would check arguments before the tools see them.
    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server
