"""Refuse an Edit or Write that makes a valid Claude Code settings file invalid."""

from __future__ import annotations

import re

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.json_text import JsonError, parse_json

# The schema is imported only by the few edits of a settings file.

__all__ = ["SETTINGS_FILES", "refuse_invalid_settings"]

SETTINGS_FILES = ("/.claude/settings.json", "/.claude/settings.local.json")
"""Ends of the paths of settings files, in lower case. Used to recognise settings files."""
_SCHEMA = "https://json.schemastore.org/claude-code-settings.json"
_WARNING = "IMPORTANT: Do not update the env unless explicitly instructed to do so."
_PLACEHOLDER = re.compile(r"\$[$&`']")


def refuse_invalid_settings(behaviours: Behaviours, path: str, content: str, old: str, new: str) -> None:
    """Raise Refusal if an Edit makes a valid settings file invalid. Versions before 2.1.330 replace `$&` and similar
    patterns in `new` before the validation. The refusal contains the address of the schema, instead of the schema.
    """
    name = path.lower() if behaviours.settings.settings_file_name_ignores_case else path
    unchecked = not behaviours.settings.settings_are_checked or not name.endswith(SETTINGS_FILES)
    if unchecked or _refusal_reason(behaviours, content) is not None:
        return
    expanded = behaviours.settings.settings_check_expands_dollar_patterns
    after = _expand_settings(content, old, new) if expanded else content.replace(old, new)
    if reason := _refusal_reason(behaviours, after):
        schema = f"\n\nFull schema: {_SCHEMA}\n"
        if behaviours.settings.settings_refusal_shows_changed_keys_only:
            schema = _with_schema(behaviours, content, after) + "\n\n"
        raise Refusal(
            "invalid_settings",
            f"Claude Code settings.json validation failed after edit:\n{reason}{schema}{_WARNING}",
            code=10,
        )


def _refusal_reason(behaviours: Behaviours, content: str) -> str | None:
    from readfirst.reference_impl.settings.schema_keys import settings_problems

    try:
        problems = settings_problems(
            parse_json(content, brief=behaviours.notebooks.json_refusals_omit_place), behaviours
        )
    except JsonError as error:
        return f"Invalid JSON: {error}"
    return "\n".join(["Settings validation failed:", *problems]) if problems else None


def _with_schema(behaviours: Behaviours, before: str, after: str) -> str:
    """Return the text at the end of the refusal: the schema of the changed keys, and the list of valid keys."""
    from readfirst.reference_impl.settings.schema_keys import settings_keys

    try:
        old, new = parse_json(before), parse_json(after)
    except JsonError:
        return ""
    if not isinstance(new, dict):
        return ""
    known = settings_keys(behaviours)
    changed = [key for key in new if new[key] != old.get(key, ...)]
    schema = f"\n\nSchema of the keys this edit changed: {_SCHEMA}" if set(changed) & set(known) else ""
    names = f"\n\nValid top-level keys: {', '.join(known)}" if set(changed) - set(known) else ""
    return schema + names


def _expand_settings(content: str, old: str, new: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        parts = {"$$": "$", "$&": old, "$`": content[: match.start()], "$'": content[match.end() :]}
        return _PLACEHOLDER.sub(lambda placeholder: parts[placeholder[0]], new)

    return re.sub(re.escape(old), replacement, content)
