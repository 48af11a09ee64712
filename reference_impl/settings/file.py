"""Settings file: an Edit must not turn a valid Claude Code settings file into an invalid one."""

from __future__ import annotations

import re

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.json_text import JsonError, parse

# What a settings file may hold is imported by the few edits of one.

__all__ = ["SETTINGS_FILES", "refuse_invalid_settings"]

SETTINGS_FILES = ("/.claude/settings.json", "/.claude/settings.local.json")
"""How the paths of settings files end, in small letters."""
_SCHEMA = "https://json.schemastore.org/claude-code-settings.json"
_WARNING = "IMPORTANT: Do not update the env unless explicitly instructed to do so."
_PLACEHOLDER = re.compile(r"\$[$&`']")


def refuse_invalid_settings(behaviours: Behaviours, path: str, content: str, old: str, new: str) -> None:
    """Refuse an Edit after which the settings are invalid; settings that are invalid already may be edited.

    Until 2.1.330 what is checked is not always what will be written: `$&` and its like in `new` are replaced by parts
    of the file. The product prints the schema below the reason, the reference where it is published.
    """
    name = path.lower() if behaviours.settings.settings_file_name_ignores_case else path
    unchecked = not behaviours.settings.settings_are_checked or not name.endswith(SETTINGS_FILES)
    if unchecked or _reason(behaviours, content) is not None:
        return
    expanded = behaviours.settings.settings_check_expands_dollar_patterns
    after = _expanded(content, old, new) if expanded else content.replace(old, new)
    if reason := _reason(behaviours, after):
        schema = f"\n\nFull schema: {_SCHEMA}\n"
        if behaviours.settings.settings_refusal_shows_changed_keys_only:
            schema = _explained(behaviours, content, after) + "\n\n"
        raise Refusal(
            "invalid_settings",
            f"Claude Code settings.json validation failed after edit:\n{reason}{schema}{_WARNING}",
            code=10,
        )


def _reason(behaviours: Behaviours, content: str) -> str | None:
    from readfirst.reference_impl.settings.schema_keys import problems

    try:
        found = problems(parse(content, brief=behaviours.notebooks.json_refusals_omit_place), behaviours)
    except JsonError as error:
        return f"Invalid JSON: {error}"
    return "\n".join(["Settings validation failed:", *found]) if found else None


def _explained(behaviours: Behaviours, before: str, after: str) -> str:
    """Return what follows the reason: the schema of the known keys that changed, and which keys there are."""
    from readfirst.reference_impl.settings.schema_keys import keys

    try:
        old, new = parse(before), parse(after)
    except JsonError:
        return ""
    if not isinstance(new, dict):
        return ""
    known = keys(behaviours)
    changed = [key for key in new if new[key] != old.get(key, ...)]
    schema = f"\n\nSchema of the keys this edit changed: {_SCHEMA}" if set(changed) & set(known) else ""
    names = f"\n\nValid top-level keys: {', '.join(known)}" if set(changed) - set(known) else ""
    return schema + names


def _expanded(content: str, old: str, new: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        parts = {"$$": "$", "$&": old, "$`": content[: match.start()], "$'": content[match.end() :]}
        return _PLACEHOLDER.sub(lambda placeholder: parts[placeholder[0]], new)

    return re.sub(re.escape(old), replacement, content)
