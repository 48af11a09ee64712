from collections.abc import Mapping
from typing import Any

import miniatures
import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import (
    Given,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

READ = ToolCall("Read", {"file_path": "$WS/a.txt"})
EDIT = ToolCall("Edit", {"file_path": "$WS/a.txt"})
WRITE = ToolCall("Write", {"file_path": "$WS/a.txt", "content": "new"})
CHANGE = WorldEvent("modify", "a.txt", RegularFile(b"changed"), mtime=2)


def scenario(*steps: Step, **files: RegularFile | Symlink) -> Scenario:
    given = files or {"a.txt": RegularFile(TextContent("old"))}
    return Scenario("family/slug", "title", "must", Given(given), steps)


def replay_steps(place: WorkspacePool, adapter: Any, *steps: Step) -> Outcome:
    return replay(scenario(*steps), adapter, place)


class Reminding:
    """The first `times` sessions report that a reminder contaminated the answer."""

    def __init__(self, times: int) -> None:
        self.traits = AdapterTraits(was_contaminated=self._was_reminded)
        self.opened = 0
        self._reminded = False
        self._times = times

    def open(self, workspace: Workspace) -> "Reminding":
        self.opened += 1
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        if self.opened > self._times:
            return ToolResult("  old  ")
        self._reminded = True
        return ToolResult("old")

    def _was_reminded(self) -> bool:
        reminded, self._reminded = self._reminded, False
        return reminded


@pytest.mark.parametrize(("times", "opened", "text"), [(0, 1, "  old  "), (1, 2, "  old  "), (9, 3, "old")])
def test_a_scenario_that_a_reminder_contaminated_is_replayed_up_to_three_times(
    place: WorkspacePool, times: int, opened: int, text: str
) -> None:
    adapter = Reminding(times)
    outcome = replay_steps(place, adapter, READ)
    assert [step.results for step in outcome.steps] == [(ToolResult(text),)]
    assert adapter.opened == opened
    assert outcome.disturbed == (text == "old"), "it says so where it fell on each"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Raises", "the adapter raised ValueError: no idea about $WS"),
        ("ExitsPolitely", "the adapter raised SystemExit: 4"),
        ("AnswersNothing", "the adapter answered None, not a ToolResult"),
        ("AnswersBytes", "the result's text is b'done', not a string"),
        ("AnswersANumber", "the result's is_error is 1, not a boolean"),
        ("NamesErrorsByNumber", "the result's error is 6, not a name"),
    ],
)
def test_an_exception_or_wrong_answer_is_an_adapter_error(
    place: WorkspacePool, name: str, words: str
) -> None:
    outcome = replay_steps(place, getattr(miniatures, name), READ, EDIT, WRITE)
    assert outcome.error is not None
    assert (outcome.error.blame, outcome.error.message, outcome.error.step) == ("adapter", words, 1)
    assert len(outcome.steps) == 1


class Talkative(miniatures.Honest):
    def call_parallel(self, calls: object) -> Any:
        return "ok"


@pytest.mark.parametrize(
    ("adapter", "step", "words"),
    [
        (Talkative, ParallelCalls((READ, READ)), "answered a parallel group with 'ok'"),
        (miniatures.LosesAParallelResult, ParallelCalls((READ, READ)), "returned 1 results for 2 calls"),
        (miniatures.StrikesTwice, ToolCall("Write", WRITE.arguments, (CHANGE,)), "ran `interfere` 2 times"),
        (miniatures.FailsToOpen, READ, "raised RuntimeError: no session today"),
        (miniatures.FailsToClose, READ, "raised RuntimeError: no end"),
    ],
)
def test_a_violation_of_the_adapter_protocol_is_an_error_of_the_adapter(
    place: WorkspacePool, adapter: Any, step: Step, words: str
) -> None:
    broken = replay_steps(place, adapter, step).error
    assert broken is not None
    assert broken.blame == "adapter"
    assert words in broken.message


@rows(
    ("step", "method"),
    [
        (ParallelCalls((READ, READ)), "call_parallel"),
        (ToolCall("Write", WRITE.arguments, (CHANGE,)), "call_during"),
        (SessionEvent("resume"), "resume()"),
        (SessionEvent("compact"), "compact()"),
        (SessionEvent("rewind"), "rewind()"),
        (SessionEvent("agent"), "sub_agent()"),
        (SessionEvent("mention", path="a.txt"), "mention()"),
        (ToolCall("Write", WRITE.arguments, interrupted="cancelled"), "call_interrupted"),
        (ToolCall("Write", WRITE.arguments, interrupted="cut"), "call_interrupted"),
        (ToolCall("Write", WRITE.arguments, interrupted="killed-writing"), "kill()"),
    ],
)
def test_a_missing_method_of_a_declared_capability_is_an_error(
    place: WorkspacePool, step: Step, method: str
) -> None:
    broken = replay_steps(place, miniatures.Pretends(), READ, step, READ).error
    assert broken is not None
    assert (broken.blame, broken.step) == ("adapter", 1)
    need = f"declares `{step.needs}`, but its " if isinstance(step, SessionEvent) else ""
    assert f"{need}session has no {method}" in broken.message


@pytest.mark.parametrize(("during", "performed"), [(False, 1), (True, 2)])
def test_an_impossible_event_ends_the_replay(place: WorkspacePool, during: bool, performed: int) -> None:
    """If the event happens during a call, the replay ends after this call."""
    event = WorldEvent("delete", "b.txt")
    steps = (ToolCall("Write", WRITE.arguments, (event,)),) if during else (event, WRITE)
    outcome = replay_steps(place, miniatures.Honest, READ, *steps)
    assert outcome.error is not None
    assert (outcome.error.blame, outcome.error.step, len(outcome.steps)) == ("harness", 1, performed)
    assert "cannot delete b.txt" in outcome.error.message


def test_an_event_that_the_adapter_triggers_after_its_call_has_no_effect(place: WorkspacePool) -> None:
    kept = []

    class Late(miniatures.Honest):
        def call_during(self, tool: str, arguments: Mapping[str, Any], interfere: Any) -> ToolResult:
            kept.append(interfere)
            return ToolResult("done")

        def close(self) -> None:
            kept[0]()
            kept.append((self.workspace.root / "a.txt").read_text())

    outcome = replay_steps(place, Late, ToolCall("Write", WRITE.arguments, (CHANGE,)))
    assert kept[1] == "old"
    assert not outcome.steps[0].interfered


@pytest.mark.usefixtures("shallow")
def test_directories_nested_too_deeply_are_an_error_of_the_implementation(place: WorkspacePool) -> None:
    class Nesting(miniatures.Misbehaving):
        def misbehave(self) -> ToolResult:
            path = self.workspace.root
            for _ in range(150):
                path = path / "d"
                path.mkdir()
            return ToolResult("done")

    broken = replay_steps(place, Nesting, EDIT).error
    assert broken is not None
    assert (broken.blame, broken.message) == (
        "implementation",
        "cannot read the workspace: its directories are nested too deeply",
    )
    assert replay_steps(place, Nesting, READ).error is None


def test_a_workspace_that_cannot_be_created_is_an_error_of_the_environment(place: WorkspacePool) -> None:
    impossible = Scenario("a/b", "t", "must", Given({"x" * 300: RegularFile(b"")}), (READ,))
    broken = replay(impossible, miniatures.Honest, place).error
    assert broken is not None
    assert broken.blame == "environment"
    assert "cannot prepare the workspace" in broken.message
