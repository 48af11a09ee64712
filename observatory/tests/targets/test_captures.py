"""Captured values of answers: kept per path, from refusals only if the mapping says so, and masked in comparisons."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.observatory.targets import new_mapping
from readfirst.observatory.targets.adapter import TargetAdapter, mask_captures
from readfirst.observatory.targets.mapping import load_target

MAPPING = """\
title: Versions
kind: mcp
versions:
  dev: {{command: [node, server.mjs]}}
tools:
  Read:
    call: open
    arguments: {{path: $file_path}}
    capture: {{version: "version: ([0-9]+)"}}
  Edit:
    call: replace
    arguments: {{path: $file_path, old: $old_string, new: $new_string, version: $version}}
    capture: {{version: "version: ([0-9]+)"}}
{more}
"""
EDIT = {"file_path": "a.txt", "old_string": "x", "new_string": "y"}


class Raw:
    """A server whose answers, also to refused calls, contain a version: the number of calls so far."""

    traits = AdapterTraits()

    def __init__(self) -> None:
        self.given: list[Mapping[str, Any]] = []

    def open(self, workspace: Workspace) -> Any:
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        self.given.append(arguments)
        return ToolResult(f"version: {len(self.given)}", is_error=arguments.get("old") == "refused")


def adapter(tmp_path: Path, raw: Raw, more: str = "") -> TargetAdapter:
    file = tmp_path / "versions.yaml"
    file.write_text(MAPPING.format(more=more))
    return TargetAdapter(load_target(file), raw)


@pytest.mark.parametrize(("more", "version"), [("", "1"), ("    capture_refusals: true", "2")])
def test_a_refusal_replaces_a_captured_value_only_if_the_mapping_says_so(
    tmp_path: Path, more: str, version: str
) -> None:
    raw = Raw()
    session = adapter(tmp_path, raw, more).open(Workspace(tmp_path, tmp_path))
    session.call("Read", {"file_path": "a.txt"})
    assert session.call("Edit", {**EDIT, "old_string": "refused"}).is_error
    session.call("Edit", EDIT)
    assert [call.get("version") for call in raw.given] == [None, "1", version]


def test_a_value_is_that_of_the_latest_answer_about_the_same_path(tmp_path: Path) -> None:
    raw = Raw()
    session = adapter(tmp_path, raw).open(Workspace(tmp_path, tmp_path))
    for path in ("a.txt", "b.txt"):
        session.call("Read", {"file_path": path})
    session.call("Edit", EDIT)
    session.call("Edit", {**EDIT, "file_path": f"{tmp_path}/a.txt"})
    session.call("Edit", {**EDIT, "file_path": "c.txt"})
    assert [call.get("version") for call in raw.given[2:]] == ["1", "3", None]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("It is version: 17 now, of 3.", "It is version: {value} now, of 3."),
        ("Give the version first.", "Give the version first."),
        ("Changed at 06:15:41: 9f86d081884c", "Changed at {value}: {value}"),
        ("It is version: … now.", "It is version: … now."),
    ],
)
def test_a_refusal_is_recognised_whatever_value_it_has(text: str, form: str) -> None:
    mask = partial(mask_captures, patterns=(re.compile(r"version:? (\S+)"),))
    assert new_mapping._replace_values(text, mask) == form


def test_captured_values_do_not_keep_scenarios_from_sharing_a_server(tmp_path: Path) -> None:
    mask = adapter(tmp_path, Raw()).traits.mask
    assert mask("version: 17\nid 4") == mask("version: 4\nid 4")
    assert mask("version: 17\nid 4") != mask("version: 17\nid 5")


def test_values_that_a_mapping_captures_are_masked() -> None:
    patterns = (re.compile("version: ([0-9]+)"), re.compile("(?:tag=(x))?no"))
    assert mask_captures("version: 17\n1| 17\nversion: 4 no", patterns) == "version: …\n1| 17\nversion: … no"
