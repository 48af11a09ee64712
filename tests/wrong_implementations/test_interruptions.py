"""Implementations that make a mistake when their program is ended by a signal are detected."""

from contextlib import closing
from pathlib import Path
from types import ModuleType

import altered
import pytest
import wrong_interruptions as wrong

from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes import supervised_process
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import SUITE, judge_scenario

KILLED_OR_SIGNALLED = [
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
]

RESUMED = [
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
"""Mistakes in conversations that continue after a signal, with the scenarios that detect them."""


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kill programs soon after a signal, and keep conversations in a directory of the test."""
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    monkeypatch.setenv(wrong.KEPT, str(tmp_path))


def judge_played(name: str, slug: str, place: WorkspacePool, module: ModuleType = wrong) -> Verdict:
    with closing(PythonAdapter(str(Path(str(module.__file__))), name)) as adapter:
        return judge_scenario(
            SUITE.scenario(f"interrupted/{slug}"), adapter, "effects", harm=True, place=place
        )


@pytest.mark.slow  # when the program is killed or gets the signal is a matter of luck
@pytest.mark.parametrize(("name", "slug"), KILLED_OR_SIGNALLED + RESUMED)
def test_what_a_program_does_wrong_when_it_is_ended_is_caught(
    name: str, slug: str, place: WorkspacePool
) -> None:
    verdict = judge_played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


RIGHT = [
    ("Outlasts", "killed-and-resumed"),
    ("Survives", "edit-sigint"),
    ("Altered", "write-killed-while-writing"),
]
"""Correct behaviours: a conversation survives a signal, a call is executed completely, and a killed program leaves
no partial file.
"""
MORE_RIGHT = [
    *(("Outlasts", slug) for slug in sorted({slug for _, slug in RESUMED} - {"killed-and-resumed"})),
    ("Survives", "edit-sigint-while-writing"),
    ("Altered", "edit-killed"),
    ("Altered", "new-file-killed"),
]


@pytest.mark.parametrize(
    ("name", "slug"), [*RIGHT, *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE_RIGHT)]
)
def test_who_is_right_passes(name: str, slug: str, place: WorkspacePool) -> None:
    verdict = judge_played(name, slug, place, altered if name == "Altered" else wrong)
    assert verdict.status == "passed", verdict
    assert not verdict.harms


def test_what_was_torn_counts_as_lost(place: WorkspacePool) -> None:
    verdict = judge_played("EmptiesAndWrites", "write-killed-while-writing", place)
    assert [harm.kind for harm in verdict.harms] == ["lost"]
    assert not verdict.levels["safe"]
