"""Settings keys: which keys a Claude Code settings file may have in each edition of the settings' schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from reference_impl.settings_shape import (
    Array,
    Choice,
    Days,
    Either,
    Members,
    Plain,
    Problem,
    Record,
    Rule,
    Shape,
)
from reference_impl.settings_words import WORDS

__all__ = ["keys", "problems"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the shape of its value from an edition on, until another one (that has not got it any more)."""

    name: str
    shape: Shape
    since: int = 1
    until: int = 99


_STRING = Plain(str, "string")
_BOOLEAN = Plain(bool, "boolean")
_NUMBER = Plain((int, float), "number")
_LIST = Plain(list, "array")
_RECORD = Plain(dict, "record")
_STRINGS = Array(_STRING)
_COMMAND: Mapping[str, Shape] = {"type": Choice(("command",), only=True), "command": _STRING}
_NEEDED = frozenset({"type", "command"})
_HOOKS = Array(Members({"matcher": _STRING, "hooks": _LIST}, frozenset({"hooks"})))
_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PermissionRequest",
)
_ATTRIBUTION = Members({"commit": _STRING, "pr": _STRING})
_MISMATCHED = Rule("Mismatched parentheses. Ensure all opening parentheses have matching closing parentheses")
_MALFORMED = Rule(
    "Malformed Tool(content) rule. Rules take the form Tool or Tool(content) and must end at the closing "
    '")"; parentheses inside the content are literal'
)


def _permissions(rule: Shape, modes: tuple[str, ...]) -> Members:
    rules = Array(rule)
    members: dict[str, Shape] = {
        "allow": rules,
        "deny": rules,
        "ask": rules,
        "defaultMode": Choice(modes),
        "disableBypassPermissionsMode": Choice(("disable",)),
        "additionalDirectories": _STRINGS,
    }
    return Members(members)


def _anything(value: Any, path: str) -> Iterator[Problem]:  # noqa: ARG001 - nothing is wrong with any value
    return iter(())


_MODES = ("acceptEdits", "bypassPermissions", "default", "delegate", "dontAsk", "plan")
_LATER_MODES = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
_SCHEMA = "https://json.schemastore.org/claude-code-settings.json"

_KEYS = (
    Key("$schema", Choice((_SCHEMA,), only=True), until=3),
    Key("$schema", _anything, since=3),
    Key("apiKeyHelper", _STRING),
    Key("awsCredentialExport", _STRING),
    Key("awsAuthRefresh", _STRING),
    Key("fileSuggestion", Members(_COMMAND, _NEEDED)),
    Key("respectGitignore", _BOOLEAN, since=2),
    Key("cleanupPeriodDays", Days(), until=3),
    Key("cleanupPeriodDays", Days(1), since=3),
    Key("env", _RECORD),
    Key("attribution", _ATTRIBUTION, until=3),
    Key(
        "attribution",
        Either(
            _ATTRIBUTION,
            'Expected false, true, or an object such as { "commit": "", "pr": "" }, but received array',
            (bool,),
        ),
        since=3,
    ),
    Key("includeCoAuthoredBy", _BOOLEAN),
    Key("permissions", _permissions(_MISMATCHED, _MODES), until=3),
    Key("permissions", _permissions(_MALFORMED, _LATER_MODES), since=3),
    Key("model", _STRING),
    Key("enableAllProjectMcpServers", _BOOLEAN),
    Key("enabledMcpjsonServers", _STRINGS),
    Key("disabledMcpjsonServers", _STRINGS),
    Key("allowedMcpServers", _LIST),
    Key("deniedMcpServers", _LIST),
    Key("hooks", Record(_HOOKS, _EVENTS), until=3),
    Key("hooks", Record(_HOOKS, _EVENTS, told_at_last=True), since=3),
    Key("disableAllHooks", _BOOLEAN),
    Key("allowManagedHooksOnly", _BOOLEAN),
    Key("statusLine", Members({**_COMMAND, "padding": _NUMBER}, _NEEDED)),
    Key("enabledPlugins", _RECORD),
    Key("extraKnownMarketplaces", Record(Plain(dict, "object"))),
    Key("skippedMarketplaces", _STRINGS, until=3),
    Key("skippedPlugins", _STRINGS, until=3),
    Key("strictKnownMarketplaces", _LIST),
    Key("blockedMarketplaces", _LIST),
    Key("forceLoginMethod", Choice(("claudeai", "console")), until=3),
    Key("forceLoginMethod", _anything, since=3),
    Key("forceLoginOrgUUID", _STRING, until=3),
    Key("forceLoginOrgUUID", Either(_anything, "Invalid input", (str, list)), since=3),
    Key("otelHeadersHelper", _STRING),
    Key("outputStyle", _STRING),
    Key("language", _STRING, since=2),
    Key("skipWebFetchPreflight", _BOOLEAN),
    Key("sandbox", Members({"enabled": _BOOLEAN})),
    Key("spinnerTipsEnabled", _BOOLEAN),
    Key("syntaxHighlightingDisabled", _BOOLEAN),
    Key("alwaysThinkingEnabled", _BOOLEAN),
    Key("promptSuggestionEnabled", _BOOLEAN),
    Key("agent", _STRING),
    Key("companyAnnouncements", _STRINGS),
    Key("pluginConfigs", _RECORD),
    Key("remote", Members({"defaultEnvironmentId": _STRING})),
    Key("autoUpdatesChannel", Choice(("latest", "stable")), until=3),
    Key("autoUpdatesChannel", Choice(("latest", "stable", "rc")), since=3),
    Key("minimumVersion", _STRING),
    Key("classifierPermissionsEnabled", _BOOLEAN, since=2, until=3),
)
_WORDS: Mapping[int, str] = {1: "first", 2: "second", 3: "with tips"}


@cache
def _shape(edition: int) -> Members:
    held = {key.name: key.shape for key in _KEYS if key.since <= edition < key.until}
    return Members(held, closed=True)


def keys(edition: int) -> tuple[str, ...]:
    """Return the keys that a settings file may have."""
    return tuple(_shape(edition).members)


def problems(settings: Any, edition: int) -> list[str]:
    """Return what is wrong with a settings file, one line each: `- path: what`; unknown keys come last."""
    words = WORDS[_WORDS[edition]]
    return [f"- {problem.path}: {words(problem)}" for problem in _shape(edition)(settings, "")]
