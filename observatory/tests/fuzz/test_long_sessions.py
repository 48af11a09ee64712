"""Long sessions: their content, faults that only they find, and the share of calls with equal results."""

import sys
from itertools import islice
from pathlib import Path

import pytest
from altered import Altered, Arguments

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz import differential
from readfirst.observatory.fuzz.differential import Campaign, DifferentialRunner
from readfirst.observatory.fuzz.generate import long_sessions, scenarios
from tests.command_line import exit_code
from tests.newest import NEWEST


def some(seed: int, number: int) -> list[Scenario]:
    return list(islice(long_sessions(seed), number))


def kinds(drawn: list[Scenario]) -> set[str]:
    steps = [step for each in drawn for step in each.steps]
    return {step.kind if isinstance(step, WorldEvent) else type(step).__name__ for step in steps}


def test_a_long_session_has_30_to_60_steps_about_several_files_that_move() -> None:
    drawn = some(1, 30)
    assert {30 <= len(each.steps) <= 60 for each in drawn} == {True}
    assert kinds(drawn) >= {
        "ToolCall",
        "ParallelCalls",
        "rename",
        "symlink",
        "delete",
        "modify",
        "touch",
        "chmod",
    }
    files = [sum(isinstance(entry, RegularFile) for entry in each.given.files.values()) for each in drawn]
    assert (min(files) >= 1, max(files)) == (True, 8)
    of_groups = [step for each in drawn for step in each.steps if isinstance(step, ParallelCalls)]
    paths = [{str(call.arguments.get("file_path")) for call in group.calls} for group in of_groups]
    assert sum(len(each) > 1 for each in paths) > len(paths) / 2
    assert (some(2, 3) == some(2, 3), some(2, 3) == some(3, 3)) == (True, False)


def test_most_steps_of_a_long_session_are_made(place: WorkspacePool) -> None:
    """Few sessions may end early (at an impossible change by another program), and few calls may be refused."""
    made = drawn = done = calls = 0
    for session in some(4, 8):
        outcome = replay(session, ReferenceAdapter("2.1.7"), place)
        results = [result for step in outcome.steps for result in step.results]
        made, drawn = made + len(outcome.steps), drawn + len(session.steps)
        done, calls = done + sum(not result.is_error for result in results), calls + len(results)
    assert made / drawn > 0.8
    assert done / calls > 0.25


class FollowsMovedFiles(Altered):
    """Identifies files by inode, so a file that was read and then renamed still counts as read."""

    def __init__(self, workspace) -> None:  # type: ignore[no-untyped-def]
        super().__init__(workspace)
        self.read: set[int] = set()

    def alter(self, tool: str, arguments: Arguments, interfere) -> ToolResult:  # type: ignore[no-untyped-def]
        path = self.path(arguments) if isinstance(arguments.get("file_path"), str) else Path("/missing")
        known = path.is_file() and path.stat().st_ino in self.read
        result = self.reference(tool, arguments, interfere)
        if known and result.error == "not_read":
            self.reference("Read", {"file_path": arguments["file_path"]})
            result = self.reference(tool, arguments, interfere)
        if tool == "Read" and not result.is_error:
            self.read.add(path.stat().st_ino)
        return result


@pytest.mark.slow
def test_what_moves_is_met_in_long_sessions_alone(place: WorkspacePool, suite: Suite) -> None:
    runner = DifferentialRunner(
        ReferenceAdapter("2.1.7"), FollowsMovedFiles, place, "effects", suite.vocabulary
    )
    assert (
        next(Campaign(runner, long_sessions(0), steps=1500).perform()).disagreement.cause.reference
        == "not_read"
    )
    assert not {"rename", "symlink"} & kinds(list(islice(scenarios(0), 300)))


@pytest.mark.slow
@pytest.mark.parametrize("contract", ["1.0.60", NEWEST])
def test_the_server_does_in_a_long_session_what_the_library_does(
    contract: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unlike the library, a server could forget a file when others are read, or remember an earlier session's files."""
    served = f"mcp:{sys.executable} -m readfirst serve --contract {contract}"
    search = ("fuzz", served, "--contract", contract, "--long", "--seed", 8100, "--output", tmp_path)
    assert exit_code(*search, "--steps", 480) == 0
    errors = capsys.readouterr().err.splitlines()
    assert errors[-2].endswith("calls 100.00% agree in effects, 100.00% also in text.")


@pytest.mark.usefixtures("in_process")
def test_the_share_of_calls_that_agree_is_reported(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(Path(__file__).parents[3] / "tests" / "wrong_implementations")
    search = ("fuzz", "--long", "--steps", 1, "--output", tmp_path / "found", "--fixtures", small)
    assert exit_code(*search, "reference") == 0
    errors = capsys.readouterr().err.splitlines()
    assert errors[-2].endswith("calls 100.00% agree in effects, 100.00% also in text.")
    monkeypatch.setattr(differential, "SECONDS", 0)  # findings are not shrunk; this does not change the share
    assert exit_code(*search, "python:wrong_answers:TabAfterLineNumber") == 1
    errors = capsys.readouterr().err.splitlines()
    assert " 100.00% agree in effects, " in errors[-2]
    assert "100.00% also in text" not in errors[-2]


def test_a_session_goes_on_after_other_words_and_ends_with_other_files(
    place: WorkspacePool, suite: Suite
) -> None:
    """If only answers differ, the replay must continue, so that the search also finds later differences in files."""

    class OtherWordsThenOtherFiles(Altered):
        def alter(self, tool: str, arguments: Arguments, interfere) -> ToolResult:  # type: ignore[no-untyped-def]
            result = self.reference(tool, arguments, interfere)
            if tool == "Read":
                return ToolResult(f"{result.text} indeed", result.is_error, result.error)
            if tool == "Write" and not result.is_error:
                self.path(arguments).write_text("other")
            return result

    runner = DifferentialRunner(
        ReferenceAdapter("2.1.7"), OtherWordsThenOtherFiles, place, "text", suite.vocabulary
    )
    every = [runner.differences(each) for each in some(6, 5)]
    levels = [[each.cause.level for each in found] for found in every]
    assert any("text" in each[:-1] and each[-1] == "effects" for each in levels)
    assert all("effects" not in each[:-1] for each in levels)
    assert runner.tally.other_effects == sum(each[-1:] == ["effects"] for each in levels)
    assert runner.tally.other_texts == sum(each.count("text") + each.count("reason") for each in levels)
    assert runner.tally.calls > runner.tally.other_effects + runner.tally.other_texts
