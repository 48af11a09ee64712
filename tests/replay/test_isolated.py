"""Which scenarios the product must not share a session for."""

from typing import Any

import pytest

from readfirst.harness.agents.claude_code.own_session import needs_own_session, spells_paths
from readfirst.harness.suite.entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall


def _scenario(*calls: tuple[str, dict[str, Any]], given: Given | None = None) -> Scenario:
    steps = tuple(ToolCall(tool, arguments) for tool, arguments in calls)
    return Scenario("family/slug", "A title", "must", given or Given(), steps)


def test_a_scenario_of_two_files_has_a_session_of_its_own() -> None:
    scenario = _scenario(("Read", {"file_path": "$WS/a.txt"}), ("Read", {"file_path": "$WS/b.txt"}))
    assert needs_own_session(scenario)
    assert not spells_paths(scenario)


@pytest.mark.parametrize(
    "scenario",
    [
        _scenario(("Read", {"file_path": "a.txt"})),
        _scenario(("Read", {"file_path": "$WS/a.txt"}), given=Given(deny=("Edit(a.txt)",))),
        _scenario(("Write", {"file_path": "$WS/a.txt", "content": "a\r\n"})),
        _scenario(
            ("Write", {"file_path": "$WS/new.txt", "content": "a\n"}),
            given=Given({"a.txt": RegularFile(TextContent("a\n", eol="crlf"))}),
        ),
    ],
    ids=["relative-path", "deny-rule", "carriage-return-in-a-call", "carriage-return-in-a-file"],
)
def test_a_scenario_in_which_the_working_directory_shows_has_a_session_of_its_own(scenario: Scenario) -> None:
    assert needs_own_session(scenario)


def test_carriage_returns_in_a_file_that_was_there_need_no_session_of_their_own() -> None:
    given = Given({"a.txt": RegularFile(TextContent("a\n", eol="crlf"))})
    assert not needs_own_session(
        _scenario(("Write", {"file_path": "$WS/a.txt", "content": "b\n"}), given=given)
    )


@pytest.mark.parametrize(
    ("path", "relative"),
    [("a.txt", True), ("./a.txt", True), ("~/a.txt", True), ("$WS/a.txt", False), ("/a", False)],
)
def test_a_scenario_is_relative_if_one_of_its_paths_is(path: str, relative: bool) -> None:
    calls = (("Read", {"file_path": "$WS/b.txt"}), ("Read", {"file_path": path}), ("Edit", {"file_path": 5}))
    assert _scenario(*calls).relative is relative
