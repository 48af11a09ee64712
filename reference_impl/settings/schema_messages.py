"""Create the error messages about invalid settings files, for each edition of the schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from readfirst.reference_impl.settings.schema_types import Problem, name_of, quote_value

__all__ = ["MESSAGE_FORMATS", "MessageFormat"]

MessageFormat = Callable[[Problem], str]

_HOOKS = (
    'Hooks use a matcher + hooks array. The matcher is a string: a tool name ("Bash"), pipe-separated list '
    '("Edit|Write"), or empty to match all. Example: {"PostToolUse": [{"matcher": "Edit|Write", "hooks": '
    '[{"type": "command", "command": "echo Done"}]}]}'
)
_RULES = (
    'Permission rules must be in an array. Format: ["Tool(specifier)"]. Examples: ["Bash(npm run build)", '
    '"Edit(docs/**)", "Read(~/.zshrc)"]. Use * for wildcards.'
)
_EVENTS = (
    "Not a recognized hook event. Common events: PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, "
    "SessionEnd, Stop. Check spelling and capitalization."
)
_TIPS = {
    ("cleanupPeriodDays", "least"): (
        "cleanupPeriodDays must be at least 1. To keep transcripts for a long time, set a large number (e.g. 3650 for "
        "~10 years). To disable transcript writes entirely, remove this setting and use the --no-session-persistence "
        "CLI flag or the SDK persistSession:false option instead. (0 is rejected because it previously silently "
        'disabled all transcript writes, which users setting it to mean "never clean up" did not expect.)'
    ),
    ("permissions.defaultMode", "option"): (
        'Valid modes: "acceptEdits" (ask before file changes), "plan" (analysis only), "bypassPermissions" '
        '(auto-accept all), or "default" (standard behavior)'
    ),
    ("apiKeyHelper", "type"): (
        "Provide a shell command that outputs your API key to stdout. The script should output only the API key. "
        'Example: "/bin/generate_temp_api_key.sh"'
    ),
    ("permissions.allow", "type"): _RULES,
    ("permissions.deny", "type"): _RULES,
    ("hooks", "unknown"): _EVENTS,
}


def _quote_value(options: tuple[str, ...]) -> str:
    return ", ".join(f'"{option}"' for option in options)


def _unknown_key(problem: Problem) -> str:
    plural = "s" if len(problem.options) > 1 else ""
    return f"Unrecognized field{plural}: {', '.join(problem.options)}"


def _minimum_message(_problem: Problem) -> str:
    return "Number must be greater than or equal to 0"


def _expected_message(problem: Problem) -> str:
    return problem.expected


def _earlier_type(problem: Problem) -> str:
    expected = {"record": "object", "int": "integer"}.get(problem.expected, problem.expected)
    received = "float" if problem.expected == "int" else name_of(problem.value)
    return f"Expected {expected}, but received {received}"


def _earlier_option(problem: Problem) -> str:
    one_of = "" if problem.only else " one of"
    return f'"{quote_value(problem.value)}" is not valid. Expected{one_of}: {_quote_value(problem.options)}'


def _received_type_message(problem: Problem) -> str:
    return f"Expected {problem.expected}, but received {name_of(problem.value)}"


def _option_message(problem: Problem) -> str:
    return f"Invalid value. Expected one of: {_quote_value(problem.options)}"


def _key_message(_problem: Problem) -> str:
    return "Invalid key in record"


def _choose_by_kind(**kinds: MessageFormat) -> MessageFormat:
    def words(problem: Problem) -> str:
        return kinds[problem.kind](problem)

    return words


def _with_tip(words: MessageFormat) -> MessageFormat:
    def longer(problem: Problem) -> str:
        tip = _key_tip(problem)
        return f"{words(problem)}. {tip}" if tip else words(problem)

    return longer


def _key_tip(problem: Problem) -> str | None:
    if tip := _TIPS.get((problem.path, problem.kind)):
        return tip
    match problem.kind:
        case "type" if problem.path.partition(".")[0] == "hooks":
            return _HOOKS
        case "key":
            return _EVENTS
        case "type" if problem.expected == "boolean":
            return 'Use true or false without quotes. Example: "includeCoAuthoredBy": true'
        case "option":
            return f"Valid values: {_quote_value(problem.options)}"
        case "unknown" if not problem.path:
            return "Check for typos or refer to the documentation for valid fields"
    return None


_COMMON: dict[str, Any] = {"unknown": _unknown_key, "least": _minimum_message, "words": _expected_message}
_FIRST = _choose_by_kind(type=_earlier_type, option=_earlier_option, key=_earlier_option, **_COMMON)
_SECOND = _choose_by_kind(type=_received_type_message, option=_option_message, key=_key_message, **_COMMON)

MESSAGE_FORMATS: dict[str, MessageFormat] = {
    "first": _FIRST,
    "second": _SECOND,
    "with tips": _with_tip(_SECOND),
}
"""Functions that convert a problem of a settings file to a message, by the name of the wording that a version uses."""
