"""Settings shape: which keys a Claude Code settings file may have and what their values look like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["problems"]

_NAMES: Mapping[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def problems(settings: Any) -> list[str]:
    """Return what is wrong with a settings file, one line each: `- path: what`; unknown keys come last."""
    return [f"- {path}: {message}" for path, message in _SETTINGS(settings, "")]


def _expected(what: str, value: Any) -> str:
    received = "undefined" if value is ... else "null" if value is None else _NAMES[type(value)]
    return f"Expected {what}, but received {received}"


def _at(path: str, key: str | int) -> str:
    return f"{path}.{key}" if path else str(key)


class Shape(Protocol):
    """What a value must look like."""

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value: where, what."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of one JSON type."""

    kind: type | tuple[type, ...]
    name: str

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value."""
        wrong_boolean = isinstance(value, bool) and self.kind is not bool
        if wrong_boolean or not isinstance(value, self.kind):
            yield path, _expected(self.name, value)


@dataclass(frozen=True, slots=True)
class Array:
    """A list of values of one shape."""

    item: Shape

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value."""
        if not isinstance(value, list):
            yield path, _expected("array", value)
            return
        for number, item in enumerate(value):
            yield from self.item(item, _at(path, number))


@dataclass(frozen=True, slots=True)
class Record:
    """Values of one shape under any key, or under the given ones."""

    item: Shape
    keys: frozenset[str] = frozenset()

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value."""
        if not isinstance(value, dict):
            yield path, _expected("record", value)
            return
        for key, item in value.items():
            if self.keys and key not in self.keys:
                yield _at(path, key), "Invalid key in record"
            else:
                yield from self.item(item, _at(path, key))


@dataclass(frozen=True, slots=True)
class Members:
    """An object with known keys; `closed`: no others."""

    members: Mapping[str, Shape]
    required: frozenset[str] = frozenset()
    closed: bool = False

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value."""
        if not isinstance(value, dict):
            yield (
                path,
                "Invalid or malformed JSON" if not path and value is None else _expected("object", value),
            )
            return
        for key, shape in self.members.items():
            if key in value or key in self.required:
                yield from shape(value.get(key, ...), _at(path, key))
        unknown = [key for key in value if key not in self.members]
        if self.closed and unknown:
            yield path, f"Unrecognized field{'s' if len(unknown) > 1 else ''}: {', '.join(unknown)}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some strings."""

    options: tuple[str, ...]

    def __call__(self, value: Any, path: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the value."""
        if value not in self.options:
            options = ", ".join(f'"{option}"' for option in self.options)
            yield path, f"Invalid value. Expected one of: {options}"


def _days(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield path, _expected("number", value)
    elif value != int(value):
        yield path, _expected("int", value)
    elif value < 0:
        yield path, "Number must be greater than or equal to 0"


def _rule(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str):
        yield path, _expected("string", value)
        return
    tool, parenthesis, pattern = value.partition("(")
    if not value.strip():
        yield path, "Permission rule cannot be empty"
    elif value.count("(") != value.count(")"):
        yield path, "Mismatched parentheses. Ensure all opening parentheses have matching closing parentheses"
    elif value == "()":
        yield path, "Empty parentheses with no tool name. Specify a tool name before the parentheses"
    elif parenthesis and pattern == ")":
        yield (
            path,
            f'Empty parentheses. Either specify a pattern or use just "{tool}" without parentheses. '
            f"Examples: {tool}, {tool}(some-pattern)",
        )
    elif not tool.startswith("mcp__") and tool[:1].islower():
        yield path, f'Tool names must start with uppercase. Use "{tool[:1].upper()}{tool[1:]}"'


_STRING = Plain(str, "string")
_BOOLEAN = Plain(bool, "boolean")
_NUMBER = Plain((int, float), "number")
_LIST = Plain(list, "array")
_RECORD = Plain(dict, "record")
_STRINGS = Array(_STRING)
_RULES = Array(_rule)
_COMMAND = Members({"type": Choice(("command",)), "command": _STRING}, frozenset({"type", "command"}))
_HOOKS = Array(Members({"matcher": _STRING, "hooks": _LIST}, frozenset({"hooks"})))
_EVENTS = frozenset(
    {
        "Notification",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "UserPromptSubmit",
    }
)

_SETTINGS = Members(
    {
        "$schema": Choice(("https://json.schemastore.org/claude-code-settings.json",)),
        "apiKeyHelper": _STRING,
        "awsCredentialExport": _STRING,
        "awsAuthRefresh": _STRING,
        "fileSuggestion": _COMMAND,
        "respectGitignore": _BOOLEAN,
        "cleanupPeriodDays": _days,
        "env": _RECORD,
        "attribution": Members({"commit": _STRING, "pr": _STRING}),
        "includeCoAuthoredBy": _BOOLEAN,
        "permissions": Members(
            {
                "allow": _RULES,
                "deny": _RULES,
                "ask": _RULES,
                "defaultMode": Choice(
                    ("acceptEdits", "bypassPermissions", "default", "delegate", "dontAsk", "plan")
                ),
                "disableBypassPermissionsMode": Choice(("disable",)),
                "additionalDirectories": _STRINGS,
            }
        ),
        "model": _STRING,
        "enableAllProjectMcpServers": _BOOLEAN,
        "enabledMcpjsonServers": _STRINGS,
        "disabledMcpjsonServers": _STRINGS,
        "allowedMcpServers": _LIST,
        "deniedMcpServers": _LIST,
        "hooks": Record(_HOOKS, _EVENTS),
        "disableAllHooks": _BOOLEAN,
        "allowManagedHooksOnly": _BOOLEAN,
        "statusLine": Members({**_COMMAND.members, "padding": _NUMBER}, frozenset({"type", "command"})),
        "enabledPlugins": _RECORD,
        "extraKnownMarketplaces": Record(Plain(dict, "object")),
        "skippedMarketplaces": _STRINGS,
        "skippedPlugins": _STRINGS,
        "strictKnownMarketplaces": _LIST,
        "blockedMarketplaces": _LIST,
        "forceLoginMethod": Choice(("claudeai", "console")),
        "forceLoginOrgUUID": _STRING,
        "otelHeadersHelper": _STRING,
        "outputStyle": _STRING,
        "language": _STRING,
        "skipWebFetchPreflight": _BOOLEAN,
        "sandbox": Members({"enabled": _BOOLEAN}),
        "spinnerTipsEnabled": _BOOLEAN,
        "syntaxHighlightingDisabled": _BOOLEAN,
        "alwaysThinkingEnabled": _BOOLEAN,
        "promptSuggestionEnabled": _BOOLEAN,
        "agent": _STRING,
        "companyAnnouncements": _STRINGS,
        "pluginConfigs": _RECORD,
        "remote": Members({"defaultEnvironmentId": _STRING}),
        "autoUpdatesChannel": Choice(("latest", "stable")),
        "minimumVersion": _STRING,
        "classifierPermissionsEnabled": _BOOLEAN,
    },
    closed=True,
)
