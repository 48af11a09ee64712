"""Settings files: which edits of them are refused."""

from __future__ import annotations

import pytest

from readfirst.reference_impl import Refusal, behaviours_of
from readfirst.reference_impl.settings.keys import problems

MISMATCHED = "Mismatched parentheses. Ensure all opening parentheses have matching closing parentheses"
HEAD = "Claude Code settings.json validation failed after edit:\n"
VALID = '{"model": "opus"}\n'


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("}", "", "Invalid JSON: Expected ',' or '}' after property value in JSON at position 17"),
        ('"opus"', '"opus",', "Invalid JSON: Expected double-quoted property name in JSON at position 17"),
        ('"opus"', "5", "Settings validation failed:\n- model: Expected string, but received number"),
        ('"model"', '"colour"', "Settings validation failed:\n- : Unrecognized field: colour"),
        ("opus", "$'x", "Invalid JSON: Unexpected non-whitespace character after JSON at position 14"),
    ],
)
def test_valid_settings_must_stay_valid(tools, put, old, new, reason):
    path = put(".claude/settings.json", VALID)
    tools.read(".claude/settings.json")
    with pytest.raises(Refusal) as refused:
        tools.edit(".claude/settings.json", old, new)
    assert refused.value.message.startswith(f"{HEAD}{reason}\n\nFull schema: ")
    assert refused.value.message.endswith(
        "\nIMPORTANT: Do not update the env unless explicitly instructed to do so."
    )
    assert path.read_text() == VALID


@pytest.mark.parametrize(
    "name", [".claude/settings.local.json", "app/.claude/settings.json", ".claude/SETTINGS.json"]
)
def test_local_settings_and_other_letter_cases_are_settings_too(tools, put, name):
    put(name, VALID)
    tools.read(name)
    with pytest.raises(Refusal, match="validation failed after edit"):
        tools.edit(name, "{", "[")


@pytest.mark.parametrize("name", ["settings.json", ".claude/other.json", "my.claude/settings.json"])
def test_other_files_may_hold_anything(tools, put, name):
    put(name, VALID)
    tools.read(name)
    tools.edit(name, "{", "[")


@pytest.mark.parametrize("content", ["{", '{"model": 5}', "// comment\n{}"])
def test_settings_that_are_invalid_already_may_be_edited(tools, put, content):
    put(".claude/settings.json", content)
    tools.read(".claude/settings.json")
    tools.edit(".claude/settings.json", "{", "[")


def test_write_and_creation_are_not_checked(tools, put, root):
    put(".claude/settings.json", VALID)
    tools.read(".claude/settings.json")
    tools.write(".claude/settings.json", "{ not json")
    tools.edit("app/.claude/settings.json", "", "{ not json")


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, []),
        ([], ["- : Expected object, but received array"]),
        (None, ["- : Invalid or malformed JSON"]),
        ({"cleanupPeriodDays": -1}, ["- cleanupPeriodDays: Number must be greater than or equal to 0"]),
        ({"cleanupPeriodDays": 1.5}, ["- cleanupPeriodDays: Expected int, but received number"]),
        ({"includeCoAuthoredBy": "x"}, ["- includeCoAuthoredBy: Expected boolean, but received string"]),
        ({"env": []}, ["- env: Expected record, but received array"]),
        ({"env": {"A": 5}}, []),
        ({"permissions": {"other": 1}}, []),
        ({"permissions": {"allow": [5]}}, ["- permissions.allow.0: Expected string, but received number"]),
        (
            {"permissions": {"allow": ["Edit(("]}},
            [f"- permissions.allow.0: {MISMATCHED}"],
        ),
        (
            {"permissions": {"deny": ["edit(x)"]}},
            ['- permissions.deny.0: Tool names must start with uppercase. Use "Edit"'],
        ),
        ({"permissions": {"ask": [""]}}, ["- permissions.ask.0: Permission rule cannot be empty"]),
        (
            {"forceLoginMethod": "x"},
            ['- forceLoginMethod: Invalid value. Expected one of: "claudeai", "console"'],
        ),
        (
            {"statusLine": {"type": "command"}},
            ["- statusLine.command: Expected string, but received undefined"],
        ),
        ({"hooks": {"Other": []}}, ["- hooks.Other: Invalid key in record"]),
        ({"hooks": {"Stop": [{}]}}, ["- hooks.Stop.0.hooks: Expected array, but received undefined"]),
        (
            {"model": 5, "foo": 1, "bar": 2, "env": []},
            [
                "- env: Expected record, but received array",
                "- model: Expected string, but received number",
                "- : Unrecognized fields: foo, bar",
            ],
        ),
    ],
)
def test_problems_are_named_by_their_place(settings, found):
    assert problems(settings, behaviours_of("2.1.7")) == found
