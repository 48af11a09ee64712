"""Implementations that change something in calls which ended early are caught, each by the scenario named for it."""

from pathlib import Path
from types import ModuleType

import altered
import pytest
import wrong_interruptions as wrong

from readfirst.harness.adapters.python_process import PythonAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes import child
from readfirst.harness.session import Adapter
from readfirst.harness.workspace.site import SitePool
from tests import judging
from tests.judging import SUITE

IN_PROCESS: dict[type[altered.Altered], str] = {
    wrong.ExecutesWhatWasGivenUp: "edit-given-up",
    wrong.GoesOnAfterwards: "new-file-given-up",
    wrong.EmptiesBeforeItWaits: "write-given-up",
    wrong.ForgetsWhatItRead: "edit-given-up",
    wrong.MakesFoldersFirst: "new-file-given-up",
    wrong.DeletesWhatWasCut: "write-at-limit",
    wrong.WritesWhatCame: "edit-cut",
    wrong.OpensWhileItComes: "new-file-cut",
    wrong.WritesHalf: "write-stopped",
    wrong.SaysThatItIsDone: "edit-stopped",
    wrong.WritesAfterItWasStopped: "new-file-stopped",
    wrong.LeavesWhatItHadBegun: "edit-stopped",
    wrong.StaysBusy: "edit-stopped",
    wrong.ForgetsWhatOthersChanged: "edit-stopped-and-changed",
}
KILLED = {
    "EmptiesAndWrites": "write-killed-while-writing",
    "LeavesALock": "edit-killed",
    "BacksUpAndMoves": "write-killed-while-writing",
}
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


def judged(slug: str, adapter: Adapter, place: SitePool) -> Verdict:
    scenario = SUITE.scenario(f"interrupted/{slug}")
    return judging.judged(scenario, adapter, "effects", harm=True, place=place)


def played(name: str, slug: str, place: SitePool, module: ModuleType = wrong) -> Verdict:
    adapter = PythonAdapter(str(Path(str(module.__file__))), name)
    try:
        return judged(slug, adapter, place)
    finally:
        adapter.close()


@pytest.mark.parametrize("implementation", IN_PROCESS, ids=lambda each: each.__name__)
def test_what_changes_something_though_the_call_ended_early_is_caught(
    implementation: type[altered.Altered], place: SitePool
) -> None:
    verdict = judged(IN_PROCESS[implementation], implementation, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")


@pytest.mark.slow  # when the program is killed is a matter of luck
@pytest.mark.parametrize("name", KILLED)
def test_what_a_killed_program_leaves_torn_or_locked_is_caught(name: str, place: SitePool) -> None:
    verdict = played(name, KILLED[name], place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


@pytest.mark.slow  # when the program gets the signal is a matter of luck
@pytest.mark.parametrize(("name", "slug"), SIGNALLED)
def test_what_a_program_does_wrong_of_a_signal_is_caught(
    name: str, slug: str, place: SitePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GRACE", 0.2)
    verdict = played(name, slug, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


@pytest.mark.parametrize(
    "slug", ["edit-sigint", pytest.param("edit-sigint-while-writing", marks=pytest.mark.slow)]
)
def test_one_that_survives_a_signal_and_makes_the_call_as_a_whole_harms_nobody(
    slug: str, place: SitePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GRACE", 0.2)
    verdict = played("Survives", slug, place)
    assert verdict.status == "passed", verdict
    assert not verdict.harms


def test_what_was_torn_counts_as_lost(place: SitePool) -> None:
    verdict = played("EmptiesAndWrites", "write-killed-while-writing", place)
    assert [harm.kind for harm in verdict.harms] == ["lost"]
    assert not verdict.levels["safe"]


@pytest.mark.parametrize("slug", sorted({*KILLED.values(), "new-file-killed"}))
def test_one_that_is_right_passes_in_a_process_that_is_killed(slug: str, place: SitePool) -> None:
    verdict = played("Altered", slug, place, altered)
    assert verdict.status == "passed", verdict
