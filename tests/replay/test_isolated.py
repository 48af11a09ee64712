"""Scenarios that need a separate session of the real product, because others would affect them."""

from typing import Any

from packaging.version import Version

from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from tests.rows import rows


def _scenario(*calls: tuple[str, dict[str, Any]], given: Given | None = None) -> Scenario:
    steps = tuple(ToolCall(tool, arguments) for tool, arguments in calls)
    return Scenario("family/slug", "A title", "must", given or Given(), steps)


@rows(
    ("paths", "version", "own"),
    [
        (("$WS/a.txt", "$WS/b.txt"), None, True),
        (("$WS/a.txt", "$WS/b.txt"), "1.0.57", False),
        (("$WS/a.txt", "$WS/b.txt"), "2.1.7", True),
        (("$WS/a.txt", "$WS/b.txt"), "2.1.75", False),
        (("$WS/a.txt", "$WS/./a.txt"), "2.0.76", True),
        (("$WS/a.txt", "$WS/./a.txt"), "2.1.7", False),
        (("$WS/a.txt",), None, False),
        (("$WS/.claude/a.txt",), "2.1.75", True),
    ],
)
def test_a_scenario_with_several_files_needs_a_separate_session_if_the_version_remembers_few_files(
    paths: tuple[str, ...], version: str | None, own: bool
) -> None:
    scenario = _scenario(*(("Read", {"file_path": path}) for path in paths))
    assert needs_own_session(scenario, None if version is None else Version(version)) is own


def test_carriage_returns_in_an_existing_file_need_no_separate_session() -> None:
    given = Given({"a.txt": RegularFile(TextContent("a\n", eol="crlf"))})
    assert not needs_own_session(
        _scenario(("Write", {"file_path": "$WS/a.txt", "content": "b\n"}), given=given)
    )


@rows(("version", "own"), [(None, True), ("2.1.76", True), ("2.1.77", False)])
def test_new_files_with_carriage_returns_may_need_a_separate_session(version: str | None, own: bool) -> None:
    scenario = _scenario(("Write", {"file_path": "$WS/new.txt", "content": "b\r\n"}))
    assert needs_own_session(scenario, None if version is None else Version(version)) is own


@rows(
    ("path", "relative"),
    [("a.txt", True), ("./a.txt", True), ("~/a.txt", True), ("$WS/a.txt", False), ("/a", False)],
)
def test_a_scenario_counts_as_relative_if_one_of_its_paths_is_relative(path: str, relative: bool) -> None:
    calls = (("Read", {"file_path": "$WS/b.txt"}), ("Read", {"file_path": path}), ("Edit", {"file_path": 5}))
    assert _scenario(*calls).relative is relative
