"""Schema and loader agree not only on chosen examples: one part of a rich scenario is exchanged at random."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document

SUITE = Suite()
SCHEMA = Draft202012Validator(json.loads((SUITE.root / "schema/scenario.schema.json").read_text()))

BEYOND_THE_SCHEMA = frozenset(
    {
        *("path-conflict", "unencodable-text"),
        *("several-documented", "several-recorded", "contract-lacks-tool", "contract-not-needed"),
        "unclear-word",
    }
)

RICH: dict[str, Any] = {
    "title": "A title of some words",
    "about": "Why.",
    "requirement": "must",
    "tags": ["read", "write"],
    "sources": ["https://example.com/1", "behaviour-spec.txt, Semantics"],
    "given": {
        "files": {
            "a.txt": "one",
            "b.txt": {"text": "two", "encoding": "latin-1", "eol": "crlf", "mode": "0600", "mtime": "-10s"},
            "c.txt": {"repeat": "l{n}", "times": 3, "bom": True},
            "d.txt": {"base64": "AAE="},
            "e": {"symlink": "a.txt"},
            "f": {"hardlink": "a.txt"},
            "g": {"directory": True, "mode": "0755"},
        },
        "deny": ["Edit(secret/**)"],
        "reminders": True,
        "hooks": [
            {"PreToolUse": "Edit|Write", "deny": "No."},
            {"PreToolUse": "*", "input": {"file_path": "$WS/a.txt"}},
            {"PostToolUse": "Edit", "exit": {"code": 2, "stderr": "No."}},
            {"PostToolUse": "Write", "modify": {"a.txt": {"text": "x", "eol": "crlf"}, "n.txt": "y"}},
        ],
        "disk": 16384,
        "mode": "plan",
        "allow": ["Read"],
        "working_directory": "project",
        "additional_directories": ["shared"],
    },
    "steps": [
        {
            "Read": {"file_path": "$WS/a.txt"},
            "expect": {"text": {"sha256": "0" * 64, "lines": 1, "starts": "a"}},
        },
        {"modify": {"a.txt": {"text": "x", "mtime": "same"}, "b.txt": "y"}},
        {"touch": {"a.txt": {"mtime": "+3s"}}},
        {"touch": "a.txt"},
        {"rename": {"b.txt": "h.txt"}},
        {"chmod": {"a.txt": "0444"}},
        {"symlink": {"i": "a.txt"}},
        {"mkdir": "j"},
        {"delete": "d.txt"},
        {
            "Edit": {"file_path": "$WS/a.txt", "old_string": "x", "new_string": "y"},
            "during": [{"modify": {"a.txt": "z"}}],
            "expect": [
                {"documented": "behaviour-spec.txt, Semantics", "error": "not_read"},
                {
                    "text": "y",
                    "files": {"a.txt": "y", "k": None, "l": {"sha256": "0" * 64, "size": 1, "mode": "0644"}},
                },
            ],
        },
        {
            "parallel": [
                {"Write": {"file_path": "$WS/m", "content": ""}, "expect": {"text": "x"}},
                {"Read": {"file_path": "$WS/m"}, "expect": {"error": "file_not_found", "text": "x"}},
            ],
            "expect": {"files": {"m": ""}},
        },
    ],
}


def test_the_rich_scenario_is_right() -> None:
    assert form_problems(RICH) == set()
    SCHEMA.validate(RICH)


def form_problems(value: Any) -> set[str]:
    """Return the rules that the loader finds broken and that a schema could see."""
    file = Path("rich/rich.yaml")
    document = Document(value, file, b"", ((0, 0), None))
    try:
        scenario_from(document, "rich/rich", SUITE.contracts)
    except SuiteError as error:
        return {finding.rule for finding in error.findings} - BEYOND_THE_SCHEMA
    return set()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        # What is in the arguments of a call is the caller's own business.
        if key not in ("Read", "Edit", "Write", "input"):
            found.extend(places(item, (*path, key)))
    return found


NAMES = """a.txt ../a /a a//b . $WS/a text repeat times base64 symlink mode mtime expect during when error Read modify
files"""
_WORDS = """x 0644 0999 +2s same latin-1 crlf AA== A >=2 enforced .. a/b /a must Edit(x) >=2.1.7,<3 newer"""
SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 1.5, "", "\0", "0" * 64, *_WORDS.split()])
VALUES = SCALARS | st.sampled_from(
    [[], {}, ["x"], {"x": "y"}, {"text": "x"}, [{"text": "x"}], {"error": "x"}, [[]]]
)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.sampled_from(places(RICH)), st.sampled_from(["replace", "delete", "rename", "add"]), st.data())
def test_schema_and_loader_agree_when_one_part_is_exchanged(
    path: tuple[Any, ...], change: str, data: st.DataObject
) -> None:
    value = copy.deepcopy(RICH)
    holder = value
    for part in path[:-1]:
        holder = holder[part]
    key = path[-1]
    match change:
        case "delete":
            del holder[key]
        case "rename" if isinstance(holder, dict):
            holder[data.draw(st.sampled_from(NAMES.split()))] = holder.pop(key)
        case "add" if isinstance(holder[key], dict):
            holder[key][data.draw(st.sampled_from(NAMES.split()))] = data.draw(VALUES)
        case _:
            holder[key] = data.draw(VALUES)
    problems = form_problems(value)
    assert (problems == set()) == SCHEMA.is_valid(value), (problems, value)
