"""An MCP server with the tools of the reference implementation, which uses standard input and output. It implements the
protocol itself: it needs only four requests, and importing a library would take longer than the answers.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from readfirst.reference_impl.argument_validation import Schema
from readfirst.reference_impl.behaviours_by_version import DEFAULT_CONTRACT
from readfirst.reference_impl.file_tools import FileTools
from readfirst.reference_impl.session.permission_rules import PermissionRuleError
from readfirst.reference_impl.text.content import replace_surrogates

__all__ = ["Server", "SettingsError", "deny_rules", "serve"]

_USAGE_ERROR = 2
_CHUNK_BYTES = 1 << 16
_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Supported versions of MCP, the latest first. They do not differ for tools that answer with text."""
_NOT_JSON, _NO_REQUEST, _NO_METHOD, _WRONG_PARAMS = -32700, -32600, -32601, -32602
_INPUT: Final = 0


class SettingsError(Exception):
    """Raised for an invalid settings file or root directory. The message states where the error is."""


def deny_rules(settings: Path) -> Sequence[str]:
    """Return the deny rules (`permissions.deny`) of a Claude Code settings file. Raises SettingsError."""
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
    """Run an MCP server with the tools until standard input ends.

    `root` is the directory of relative paths (default: the current directory). `settings` is a Claude Code settings
    file, whose deny rules apply. Calls that arrive together are one message. `initialize` starts a new session. Raises
    SystemExit with code 2 for an unknown contract, a missing directory, or invalid settings.
    """
    directory = Path.cwd() if root is None else root
    try:
        if not directory.is_dir():
            raise SettingsError(f"{directory}: is not a directory; --root must name one")
        rules = [] if settings is None else deny_rules(settings)
        open_tools = partial(
            FileTools, contract, root=directory.resolve(), home=os.environ.get("HOME"), deny=rules
        )
        server = Server(open_tools, contract, sys.stdout.buffer)
    except PermissionRuleError as error:
        _exit_with_error(f"{settings}: permissions.deny: {error}")
    except (SettingsError, ValueError) as error:
        _exit_with_error(str(error))
    _relay_lines(server)


def _exit_with_error(message: str) -> None:
    print(f"readfirst serve: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


def _relay_lines(server: Server) -> None:
    """Pass lines of standard input to the server. Calls whose lines arrive together form one message."""
    parts: list[bytes] = []  # parts of a line without an end
    while data := os.read(_INPUT, _CHUNK_BYTES):
        first, *others = data.split(b"\n")
        parts.append(first)
        for each in others:
            server.receive(b"".join(parts))
            parts = [each]
        if not any(parts) and not select.select([_INPUT], [], [], 0)[0]:
            server.execute()
    server.receive(b"".join(parts))
    server.execute()


class Server:
    """An MCP server. Each `initialize` calls `open_tools` for a new session. `answers` is the output stream."""

    def __init__(self, open_tools: Callable[[], FileTools], contract: str, answers: BinaryIO) -> None:
        self._open_tools = open_tools
        self._tools = open_tools()
        self._info = {"name": "readfirst-reference", "version": contract}
        self._answers = answers
        self._calls: list[tuple[str | int, tuple[str, Mapping[str, Any]]]] = []

    def receive(self, line: bytes) -> None:
        """Answer one message of the client. A tool call is only stored; `execute` answers it."""
        if not line.strip():
            return
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            self._write_error(None, _NOT_JSON, f"this is not JSON: {error}")
            return
        match message:
            case {"method": str(method), "id": str() | int() as number}:
                self._answer_request(number, method, message.get("params") or {})
            case {"method": "notifications/cancelled", "params": {"requestId": str() | int() as number}}:
                self._calls = [call for call in self._calls if call[0] != number]
            case {"method": str()} if "id" not in message:
                pass  # other notifications of a client are ignored
            case {"id": _, "result": _} | {"id": _, "error": _}:
                pass  # an answer without a request
            case _:
                self._write_error(None, _NO_REQUEST, "a request is an object with jsonrpc, id and method")

    def execute(self) -> None:
        """Execute the stored tool calls as the calls of one message, and write their results."""
        calls, self._calls = self._calls, []
        results = self._tools.call_parallel([call for _, call in calls]) if calls else ()
        for (number, _), result in zip(calls, results, strict=True):
            block = {"type": "text", "text": replace_surrogates(result.text)}
            self._write_message(number, result={"content": [block], "isError": result.is_error})

    def _answer_request(self, number: str | int, method: str, params: Any) -> None:
        match method, params:
            case "initialize", {"protocolVersion": str(version)}:
                self.execute()  # waiting calls belong to the previous session
                self._tools = self._open_tools()
                spoken = version if version in _VERSIONS else _VERSIONS[0]
                offered = {"protocolVersion": spoken, "capabilities": {"tools": {}}, "serverInfo": self._info}
                self._write_message(number, result=offered)
            case "ping", _:
                self._write_message(number, result={})
            case "tools/list", _:
                self._write_message(number, result={"tools": [*map(_describe_tool, self._tools.schemas)]})
            case "tools/call", {"name": str(tool), **others}:
                arguments = others.get("arguments") or {}
                if isinstance(arguments, dict):
                    self._calls.append((number, (tool, arguments)))
                else:
                    self._write_error(number, _WRONG_PARAMS, "arguments is an object")
            case "initialize" | "tools/call", _:
                self._write_error(number, _WRONG_PARAMS, f"{method} lacks what it needs")
            case _:
                self._write_error(number, _NO_METHOD, f"there is no {method}")

    def _write_error(self, number: str | int | None, code: int, why: str) -> None:
        self._write_message(number, error={"code": code, "message": why})

    def _write_message(self, number: str | int | None, **said: Any) -> None:
        line = json.dumps({"jsonrpc": "2.0", "id": number, **said}, separators=(",", ":"))
        self._answers.write(line.encode("ascii") + b"\n")
        self._answers.flush()


def _describe_tool(schema: Schema) -> dict[str, Any]:
    return {"name": schema.tool, "description": schema.description, "inputSchema": schema.json_schema()}
