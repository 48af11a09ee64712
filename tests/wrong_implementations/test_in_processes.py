"""Mistakes are detected if a signal ends a process, or if two processes work at the same time."""

from contextlib import closing
from pathlib import Path
from types import ModuleType

import altered
import pytest
import wrong_at_once
import wrong_interruptions

from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes import supervised_process
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_scenario

ENDED = [
    ("EmptiesAndWrites", "write-killed-while-writing"),
    ("LeavesALock", "edit-killed"),
    ("BacksUpAndMoves", "write-killed-while-writing"),
    ("EmptiesAndWrites", "write-sigterm-while-writing"),
    ("EmptiesAndWrites", "edit-sigint-while-writing"),
    ("LeavesALock", "write-sigterm"),
    ("BacksUpAndMoves", "write-sigterm-while-writing"),
    ("HurriesWhenItIsToEnd", "edit-sigterm"),
    ("HurriesWhenItIsToEnd", "write-sigterm"),
    ("DeletesBeforeItEnds", "write-sigterm-while-writing"),
    ("DeletesBeforeItEnds", "edit-sigint-while-writing"),
    ("SurvivesAndSaysThatItIsDone", "edit-sigint"),
    ("ForgetsWhereItWasKilled", "killed-and-resumed"),
    ("ForgetsWhereItWasKilled", "sigint-and-resumed"),
    ("ForgetsWhereItWasKilled", "sigterm-and-resumed"),
    ("MakesTheCallThatWasKilled", "killed-and-resumed"),
    ("MakesTheCallThatWasKilled", "sigterm-and-resumed"),
    ("MakesTheCallThatWasKilled", "killed-changed-and-resumed"),
    ("TakesWhatWasKilledForDone", "unread-then-killed-and-resumed"),
    ("TakesWhatWasKilledForDone", "new-file-killed-and-resumed"),
    ("MakesTheCallThatWasKilled", "own-edit-then-killed-and-resumed"),
    ("BringsBackItsCopies", "sigint-changed-and-resumed"),
    ("BringsBackItsCopies", "sigterm-changed-and-resumed"),
    ("BringsBackItsCopies", "killed-while-writing-and-resumed"),
    ("BringsBackItsCopies", "sigint-while-writing-and-resumed"),
    ("BringsBackItsCopies", "sigterm-while-writing-and-resumed"),
]
"""Mistakes at a signal and in the conversation that is resumed afterwards, each with its scenario."""
AT_ONCE = [
    ("LooksTwiceWithoutALock", "same-file-in-any-order", "lost"),
    ("LooksTwiceWithoutALock", "same-new-file-in-any-order", "lost"),
    ("WritesWhatItRead", "same-file-in-any-order", "lost"),
    ("AnswersBeforeItIsDone", "same-file-in-any-order", "lost"),
    ("LocksEverything", "different-files-in-any-order", "overcautious"),
    ("LeavesItsLock", "different-files-in-any-order", "overcautious"),
]
"""Mistakes of two processes, each with the scenario and the kind of harm that detect it."""


@pytest.fixture(autouse=True)
def _process_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kill programs soon after a signal, and store conversations in a directory of the test."""
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    monkeypatch.setenv(wrong_interruptions.KEPT, str(tmp_path))


def judge_process(module: ModuleType, name: str, scenario_id: str, place: WorkspacePool) -> Verdict:
    with closing(PythonAdapter(str(module.__file__), name)) as adapter:
        return judge_scenario(scenario_id, adapter, "effects", harm=True, place=place)


@pytest.mark.slow  # the time of the signal is random
@pytest.mark.parametrize(("name", "slug"), ENDED)
def test_the_mistake_of_a_program_that_a_signal_ended_is_detected_by_its_scenario(
    name: str, slug: str, place: WorkspacePool
) -> None:
    verdict = judge_process(wrong_interruptions, name, f"interrupted/{slug}", place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


RIGHT = [
    ("Outlasts", "killed-and-resumed"),
    ("Survives", "edit-sigint"),
    ("Altered", "write-killed-while-writing"),
]
"""Correct: a conversation is resumed after a signal, and a killed program leaves no partial file."""
MORE_RIGHT = [
    *(
        ("Outlasts", slug)
        for slug in sorted({slug for _, slug in ENDED if "resumed" in slug} - {"killed-and-resumed"})
    ),
    ("Survives", "edit-sigint-while-writing"),
    ("Altered", "edit-killed"),
    ("Altered", "new-file-killed"),
]


@pytest.mark.parametrize(
    ("name", "slug"), [*RIGHT, *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE_RIGHT)]
)
def test_a_correct_program_passes_the_scenarios_with_signals(
    name: str, slug: str, place: WorkspacePool
) -> None:
    module = altered if name == "Altered" else wrong_interruptions
    verdict = judge_process(module, name, f"interrupted/{slug}", place)
    assert verdict.status == "passed", verdict
    # After a resume, Claude Code 2.1.7 itself overwrites a file that another program changed.
    is_overwritten = slug.endswith(("-changed-and-resumed", "-while-writing-and-resumed"))
    assert [harm.kind for harm in verdict.harms] == (["lost"] if is_overwritten else [])


def test_a_file_that_a_killed_program_wrote_partially_counts_as_lost(place: WorkspacePool) -> None:
    verdict = judge_process(
        wrong_interruptions, "EmptiesAndWrites", "interrupted/write-killed-while-writing", place
    )
    assert [harm.kind for harm in verdict.harms] == ["lost"]
    assert not verdict.levels["safe"]


@pytest.mark.parametrize(
    "slug",
    [
        *(pytest.param(f"same{kind}-file-in-any-order", marks=pytest.mark.slow) for kind in ("", "-new")),
        "different-files-in-any-order",
    ],
)
def test_an_implementation_that_locks_each_file_passes(slug: str, place: WorkspacePool) -> None:
    verdict = judge_process(wrong_at_once, "Locks", f"at-once/{slug}", place)
    assert verdict.status == "passed", verdict


@pytest.mark.slow  # it is random which process is faster
@pytest.mark.parametrize(("name", "slug", "kind"), AT_ONCE)
def test_the_mistake_of_two_processes_at_the_same_time_is_detected_by_its_scenario(
    name: str, slug: str, kind: str, place: WorkspacePool
) -> None:
    verdict = judge_process(wrong_at_once, name, f"at-once/{slug}", place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason
    assert not verdict.levels["safe"]
    assert kind in {harm.kind for harm in verdict.harms}
