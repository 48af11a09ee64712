"""Scenarios that need a separate session of the real product, because others would affect them."""

from typing import Any

from packaging.version import Version

from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from tests.judging import load_scenario_text
from tests.rows import rows

Call = tuple[str, dict[str, Any]]


def _scenario(*calls: Call, **files: RegularFile) -> Scenario:
    steps = tuple(ToolCall(tool, arguments) for tool, arguments in calls)
    return Scenario("family/slug", "A title", "must", Given(files), steps)


def reads(*paths: str) -> Scenario:
    return _scenario(*(("Read", {"file_path": path}) for path in paths))


WITH_RETURNS = _scenario(("Write", {"file_path": "$WS/new.txt", "content": "b\r\n"}))
KEEPS_RETURNS = _scenario(
    ("Write", {"file_path": "$WS/a", "content": "b\n"}), a=RegularFile(TextContent("a\n", eol="crlf"))
)


@rows(
    ("scenario", "version", "own"),
    [
        (reads("$WS/a.txt", "$WS/b.txt"), None, True),
        (reads("$WS/a.txt", "$WS/b.txt"), "1.0.57", False),
        (reads("$WS/a.txt", "$WS/b.txt"), "2.1.7", True),
        (reads("$WS/a.txt", "$WS/b.txt"), "2.1.75", False),
        (reads("$WS/a.txt", "$WS/./a.txt"), "2.0.76", True),
        (reads("$WS/a.txt", "$WS/./a.txt"), "2.1.7", False),
        (reads("$WS/a.txt"), None, False),
        (reads("$WS/.claude/a.txt"), "2.1.75", True),
        (KEEPS_RETURNS, None, False),
        (WITH_RETURNS, None, True),
        (WITH_RETURNS, "2.1.76", True),
        (WITH_RETURNS, "2.1.77", False),
    ],
)
def test_several_files_and_new_carriage_returns_need_a_separate_session_in_some_versions(
    scenario: Scenario, version: str | None, own: bool
) -> None:
    assert needs_own_session(scenario, None if version is None else Version(version)) is own


@rows(
    ("given", "need"),
    [
        ("hooks: [{PreToolUse: Edit, deny: No.}]", "hooks"),
        ("disk: 16384", "full_disk"),
        ("mode: plan", "permission_modes"),
    ],
)
def test_a_scenario_with_special_settings_requires_a_capability_and_a_separate_session(
    given: str, need: str
) -> None:
    steps = "steps:\n  - Read: {file_path: $WS/a.txt}\n"
    scenario = load_scenario_text(f"given: {{{given}}}\n{steps}", expect=False)
    assert need in scenario.needs
    assert needs_own_session(scenario)


@rows(
    ("path", "relative"),
    [("a.txt", True), ("./a.txt", True), ("~/a.txt", True), ("$WS/a.txt", False), ("/a", False)],
)
def test_a_scenario_counts_as_relative_if_one_of_its_paths_is_relative(path: str, relative: bool) -> None:
    calls = (("Read", {"file_path": "$WS/b.txt"}), ("Read", {"file_path": path}), ("Edit", {"file_path": 5}))
    assert _scenario(*calls).relative is relative
