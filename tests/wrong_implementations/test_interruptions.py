"""Implementations that do something wrong when their program is ended are caught."""

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
from tests.judging import SUITE, judged

KILLED = [
    ("EmptiesAndWrites", "write-killed-while-writing"),
    ("LeavesALock", "edit-killed"),
    ("BacksUpAndMoves", "write-killed-while-writing"),
]
SIGNALLED = [
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
"""What is wrong about conversations that go on after a signal, and what shows it."""


def played(name: str, slug: str, place: WorkspacePool, module: ModuleType = wrong) -> Verdict:
    with closing(PythonAdapter(str(Path(str(module.__file__))), name)) as adapter:
        return judged(SUITE.scenario(f"interrupted/{slug}"), adapter, "effects", harm=True, place=place)


@pytest.mark.slow  # when the program is killed or gets the signal is a matter of luck
@pytest.mark.parametrize(("name", "slug"), KILLED + SIGNALLED)
def test_what_a_program_does_wrong_when_it_is_ended_is_caught(
    name: str, slug: str, place: WorkspacePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    verdict = played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


@pytest.mark.slow  # each starts two processes
@pytest.mark.parametrize(("name", "slug"), RESUMED)
def test_what_is_wrong_about_a_conversation_that_goes_on_after_a_signal_is_caught(
    name: str, slug: str, place: WorkspacePool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    monkeypatch.setenv(wrong.KEPT, str(tmp_path))
    verdict = played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


@pytest.mark.parametrize(
    "slug",
    [
        "killed-and-resumed",
        *(
            pytest.param(slug, marks=pytest.mark.slow)
            for slug in sorted({slug for _, slug in RESUMED} - {"killed-and-resumed"})
        ),
    ],
)
def test_one_whose_conversation_outlasts_a_signal_passes(
    slug: str, place: WorkspacePool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    monkeypatch.setenv(wrong.KEPT, str(tmp_path))
    verdict = played("Outlasts", slug, place)
    assert verdict.status == "passed", verdict


@pytest.mark.parametrize(
    "slug", ["edit-sigint", pytest.param("edit-sigint-while-writing", marks=pytest.mark.slow)]
)
def test_one_that_survives_a_signal_and_makes_the_call_as_a_whole_harms_nobody(
    slug: str, place: WorkspacePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised_process, "GRACE", 0.2)
    verdict = played("Survives", slug, place)
    assert verdict.status == "passed", verdict
    assert not verdict.harms


def test_what_was_torn_counts_as_lost(place: WorkspacePool) -> None:
    verdict = played("EmptiesAndWrites", "write-killed-while-writing", place)
    assert [harm.kind for harm in verdict.harms] == ["lost"]
    assert not verdict.levels["safe"]


@pytest.mark.parametrize(
    "slug",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("edit-killed", "new-file-killed")),
        "write-killed-while-writing",
    ],
)
def test_one_that_is_right_passes_in_a_process_that_is_killed(slug: str, place: WorkspacePool) -> None:
    verdict = played("Altered", slug, place, altered)
    assert verdict.status == "passed", verdict
