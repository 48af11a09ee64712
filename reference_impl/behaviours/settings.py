"""Behaviours of the validation of settings files."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["SettingsBehaviours"]


class SettingsBehaviours(Group):
    """Validation of settings files."""

    settings_are_checked: bool = behaviour(
        False,
        {"1.0.83": True},
        meaning="Edit, Write and MultiEdit refuse a change that makes a settings file invalid.",
        shown_by=("multi-edit/settings",),
    )
    settings_schema_edition: int = behaviour(
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
        meaning="The edition of the schema of settings files: its keys, its values, and the messages for wrong "
        "values.",
        shown_by=("settings/wrong-choices",),
    )
    classifier_setting_is_known: bool = behaviour(
        True,
        {"2.1.14": False},
        meaning="The schema of settings files contains the settings for permissions that a classifier decides.",
        shown_by=("settings/every-setting", "settings/wrong-types"),
    )
    skip_settings_are_known: bool = behaviour(
        True,
        {"2.1.38": False},
        meaning="The schema of settings files contains the keys `skippedMarketplaces` and `skippedPlugins`.",
        shown_by=("settings/every-setting", "settings/wrong-types"),
    )
    settings_check_is_lenient: bool = behaviour(
        False,
        {"2.1.260": True},
        meaning="The validation of a settings file reports all unknown hook events together, allows a boolean "
        "`attribution`, and allows any parentheses in permission rules.",
        shown_by=(
            "settings/wrong-hooks",
            "settings/permission-rule-wrong",
            "settings/wrong-types-of-nothing",
        ),
    )
    settings_file_name_ignores_case: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="The name of a settings file is recognised in any letter case.",
        shown_by=("settings/upper-case-name",),
    )
    settings_refusal_shows_changed_keys_only: bool = behaviour(
        False,
        {"2.1.326": True},
        meaning="The refusal of invalid settings shows the schema of the changed keys only, not of all keys.",
        shown_by=("settings/null-settings", "settings/unread"),
    )
    settings_check_expands_dollar_patterns: bool = behaviour(
        True,
        {"2.1.330": False},
        meaning="While Edit validates a settings file, `$&` and similar patterns in `new_string` are replaced by parts "
        "of the file, although the written file contains the patterns unchanged.",
        shown_by=("settings/replacement-patterns-in-validation", "settings/dollar-key-in-validation"),
    )
