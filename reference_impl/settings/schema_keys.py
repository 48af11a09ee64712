"""The keys that Claude Code settings files may contain, for each edition of the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.settings.schema_messages import MESSAGE_FORMATS
from readfirst.reference_impl.settings.schema_types import (
    Array,
    Choice,
    JsonType,
    Members,
    MinimumInteger,
    ObjectOr,
    Problem,
    Record,
    Rule,
    Shape,
)

__all__ = ["settings_keys", "settings_problems"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a settings file may contain, and the type of its value."""

    name: str
    shape: Shape
    # number of the first schema with the key
    since: int = 1
    # number of the first schema without the key
    until: int = 99
    # only allowed in versions whose validation has this trait, such as `lenient`
    trait: str = ""


_STRING = JsonType(str, "string")
_BOOLEAN = JsonType(bool, "boolean")
_NUMBER = JsonType((int, float), "number")
_LIST = JsonType(list, "array")
_RECORD = JsonType(dict, "record")
_STRINGS = Array(_STRING)
_COMMAND: Mapping[str, Shape] = {"type": Choice(("command",), only=True), "command": _STRING}
_REQUIRED_COMMAND_KEYS = frozenset({"type", "command"})
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
_FIRST_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStop",
    "PreCompact",
)
_ATTRIBUTION = Members({"commit": _STRING, "pr": _STRING})
_MISMATCHED = Rule("Mismatched parentheses. Ensure all opening parentheses have matching closing parentheses")
_MALFORMED = Rule(
    "Malformed Tool(content) rule. Rules take the form Tool or Tool(content) and must end at the closing "
    '")"; parentheses inside the content are literal'
)


def _permission_keys(rule: Shape, modes: tuple[str, ...]) -> Members:
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


def _any_value(value: Any, path: str) -> Iterator[Problem]:  # noqa: ARG001 - nothing is wrong with any value
    return iter(())


_MODES = {
    1: ("acceptEdits", "sandboxBashMode", "bypassPermissions", "default", "plan"),
    2: ("acceptEdits", "bypassPermissions", "default", "plan"),
    3: ("acceptEdits", "bypassPermissions", "default", "delegate", "dontAsk", "plan"),
    5: ("acceptEdits", "bypassPermissions", "default", "dontAsk", "plan", "auto"),
    6: ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"),
}
"""Allowed values of the setting `permissions.defaultMode`, by the number of the first schema that uses them."""
_SCHEMA = "https://json.schemastore.org/claude-code-settings.json"

_KEYS = (
    Key("$schema", Choice((_SCHEMA,), only=True), until=8),
    Key("$schema", _any_value, since=8),
    Key("apiKeyHelper", _STRING),
    Key("awsCredentialExport", _STRING),
    Key("awsAuthRefresh", _STRING),
    Key("fileSuggestion", Members(_COMMAND, _REQUIRED_COMMAND_KEYS), since=3),
    Key("respectGitignore", _BOOLEAN, since=4),
    Key("cleanupPeriodDays", MinimumInteger(), until=6),
    Key("cleanupPeriodDays", MinimumInteger(1), since=6),
    Key("env", _RECORD),
    Key("attribution", _ATTRIBUTION, since=3, trait="strict"),
    Key(
        "attribution",
        ObjectOr(
            _ATTRIBUTION,
            'Expected false, true, or an object such as { "commit": "", "pr": "" }, but received array',
            (bool,),
        ),
        trait="lenient",
    ),
    Key("includeCoAuthoredBy", _BOOLEAN),
    Key("permissions", _permission_keys(_MISMATCHED, _MODES[1]), until=2),
    Key("permissions", _permission_keys(_MISMATCHED, _MODES[2]), since=2, until=3),
    Key("permissions", _permission_keys(_MISMATCHED, _MODES[3]), since=3, until=5),
    Key("permissions", _permission_keys(_MISMATCHED, _MODES[5]), since=5, until=6),
    Key("permissions", _permission_keys(_MISMATCHED, _MODES[6]), since=6, trait="strict"),
    Key("permissions", _permission_keys(_MALFORMED, _MODES[6]), trait="lenient"),
    Key("model", _STRING),
    Key("enableAllProjectMcpServers", _BOOLEAN),
    Key("enabledMcpjsonServers", _STRINGS),
    Key("disabledMcpjsonServers", _STRINGS),
    Key("allowedMcpServers", _LIST, since=3),
    Key("deniedMcpServers", _LIST, since=3),
    Key("hooks", Record(_HOOKS, _FIRST_EVENTS), until=3),
    Key("hooks", Record(_HOOKS, _EVENTS), since=3, trait="strict"),
    Key("hooks", Record(_HOOKS, _EVENTS, unknown_together=True), trait="lenient"),
    Key("disableAllHooks", _BOOLEAN),
    Key("allowManagedHooksOnly", _BOOLEAN, since=3),
    Key("statusLine", Members({**_COMMAND, "padding": _NUMBER}, _REQUIRED_COMMAND_KEYS)),
    Key("enabledPlugins", _RECORD),
    Key("extraKnownMarketplaces", Record(JsonType(dict, "object")), since=3),
    Key("skippedMarketplaces", _STRINGS, since=3, trait="skipping"),
    Key("skippedPlugins", _STRINGS, since=3, trait="skipping"),
    Key("strictKnownMarketplaces", _LIST, since=3),
    Key("blockedMarketplaces", _LIST, since=3),
    Key("forceLoginMethod", Choice(("claudeai", "console")), until=8),
    Key("forceLoginMethod", _any_value, since=8),
    Key("forceLoginOrgUUID", _STRING, until=6),
    Key("forceLoginOrgUUID", ObjectOr(_any_value, "Invalid input", (str, list)), since=6),
    Key("otelHeadersHelper", _STRING),
    Key("outputStyle", _STRING),
    Key("language", _STRING, since=4),
    Key("skipWebFetchPreflight", _BOOLEAN),
    Key("sandbox", Members({}), until=3),
    Key("sandbox", Members({"enabled": _BOOLEAN}), since=3),
    Key("spinnerTipsEnabled", _BOOLEAN),
    Key("syntaxHighlightingDisabled", _BOOLEAN, since=3),
    Key("alwaysThinkingEnabled", _BOOLEAN, since=2),
    Key("promptSuggestionEnabled", _BOOLEAN, since=3),
    Key("agent", _STRING, since=3),
    Key("companyAnnouncements", _STRINGS, since=3),
    Key("pluginConfigs", _RECORD, since=3),
    Key("remote", Members({"defaultEnvironmentId": _STRING}), since=3),
    Key("autoUpdatesChannel", Choice(("latest", "stable")), since=3, until=7),
    Key("autoUpdatesChannel", Choice(("latest", "stable", "rc")), since=7),
    Key("minimumVersion", _STRING, since=3),
    Key("classifierPermissionsEnabled", _BOOLEAN, since=4, trait="classifier"),
)
_TIPS_SINCE = 6
_SECOND_MESSAGES_SINCE = 4


@cache
def _key_shape(edition: int, traits: frozenset[str]) -> Members:
    held = (key for key in _KEYS if key.since <= edition < key.until and key.trait in traits)
    return Members({key.name: key.shape for key in held}, closed=True)


def shape_of(behaviours: Behaviours) -> Members:
    """Return the type that is used to validate a whole settings file in this version."""
    traits = {"", "lenient" if behaviours.settings.settings_check_is_lenient else "strict"}
    if behaviours.settings.skip_settings_are_known:
        traits.add("skipping")
    if behaviours.settings.classifier_setting_is_known:
        traits.add("classifier")
    return _key_shape(behaviours.settings.settings_schema_edition, frozenset(traits))


def settings_keys(behaviours: Behaviours) -> tuple[str, ...]:
    """Return the names of the keys that a settings file may have in this version."""
    return tuple(shape_of(behaviours).members)


def settings_problems(settings: Any, behaviours: Behaviours) -> list[str]:
    """Validate a settings file, and return its problems, one line each: `- path: problem`. Unknown keys come last."""
    edition = behaviours.settings.settings_schema_edition
    words = MESSAGE_FORMATS[
        "first" if edition < _SECOND_MESSAGES_SINCE else "second" if edition < _TIPS_SINCE else "with tips"
    ]
    return [f"- {problem.path}: {words(problem)}" for problem in shape_of(behaviours)(settings, "")]
