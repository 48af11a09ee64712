"""Settings: which content of a settings file is refused, and in which words."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["SettingsBehaviours"]


@dataclass(frozen=True, kw_only=True)
class SettingsBehaviours:
    """What a settings file may hold."""

    settings_are_checked: bool = since(False, {"1.0.83": True}, shown_by=("multi-edit/settings",))
    """Edit, Write and MultiEdit refuse to make a settings file invalid."""
    settings_edition: int = since(
        1,
        {
            "2.0.0": 2,
            "2.0.76": 3,
            "2.1.7": 4,
            "2.1.87": 5,
            "2.1.112": 6,
            "2.1.160": 7,
            "2.1.207": 8,
        },
        shown_by=("settings/wrong-choices",),
    )
    """Which edition of the schema of settings files holds: keys, values, and the words for wrong ones."""
    classifier_is_a_setting: bool = since(
        True, {"2.1.14": False}, shown_by=("settings/every-setting", "settings/wrong-types")
    )
    """The setting for permissions by a classifier is known."""
    skipping_is_a_setting: bool = since(
        True, {"2.1.38": False}, shown_by=("settings/every-setting", "settings/wrong-types")
    )
    """Settings that say what to skip are known."""
    settings_are_lenient: bool = since(
        False,
        {"2.1.260": True},
        shown_by=(
            "settings/wrong-hooks",
            "settings/permission-rule-wrong",
            "settings/wrong-types-of-nothing",
        ),
    )
    """Unknown hook events are told together, `attribution` may be a boolean, rules may hold any parentheses."""
    settings_have_any_case: bool = since(False, {"2.0.19": True}, shown_by=("settings/upper-case-name",))
    """The name of a settings file counts in any letter case."""
    changed_keys_alone_are_explained: bool = since(
        False, {"2.1.326": True}, shown_by=("settings/null-settings", "settings/unread")
    )
    """The refusal of invalid settings shows the schema of the keys that were changed, not of all."""
