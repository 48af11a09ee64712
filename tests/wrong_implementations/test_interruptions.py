"""Implementations that change something in calls which ended early are caught, each by the scenario named for it."""

from collections.abc import Iterator
from pathlib import Path

import altered
import pytest
import wrong_interruptions as wrong

from readfirst.harness.adapters.python_process import PythonAdapter
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.session import Adapter
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

SUITE = Suite(Path(__file__).parents[2] / "fixtures")

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


@pytest.fixture
def place() -> Iterator[SitePool]:
    with SitePool() as pool:
        yield pool


def judged(slug: str, adapter: Adapter, place: SitePool) -> Verdict:
    scenario = SUITE.scenario(f"interrupted/{slug}")
    outcome = replay(scenario, adapter, place)
    harms = harms_of(scenario, outcome)
    return compare(scenario, outcome, SUITE.contracts["2.1.7"], "effects", SUITE.vocabulary, harms=harms)


@pytest.mark.parametrize("implementation", IN_PROCESS, ids=lambda each: each.__name__)
def test_what_changes_something_though_the_call_ended_early_is_caught(
    implementation: type[altered.Altered], place: SitePool
) -> None:
    verdict = judged(IN_PROCESS[implementation], implementation, place)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")


@pytest.mark.slow  # when the program is killed is a matter of luck
@pytest.mark.parametrize("name", KILLED)
def test_what_a_killed_program_leaves_torn_or_locked_is_caught(name: str, place: SitePool) -> None:
    adapter = PythonAdapter(str(Path(wrong.__file__)), name)
    try:
        verdict = judged(KILLED[name], adapter, place)
    finally:
        adapter.close()
    assert (verdict.status, verdict.blame) == ("failed", "implementation"), verdict.reason


def test_what_was_torn_counts_as_lost(place: SitePool) -> None:
    adapter = PythonAdapter(str(Path(wrong.__file__)), "EmptiesAndWrites")
    try:
        verdict = judged("write-killed-while-writing", adapter, place)
    finally:
        adapter.close()
    assert [harm.kind for harm in verdict.harms] == ["lost"]
    assert not verdict.levels["safe"]


@pytest.mark.parametrize("slug", sorted({*KILLED.values(), "new-file-killed"}))
def test_one_that_is_right_passes_in_a_process_that_is_killed(slug: str, place: SitePool) -> None:
    adapter = PythonAdapter(str(Path(altered.__file__)), "Altered")
    try:
        verdict = judged(slug, adapter, place)
    finally:
        adapter.close()
    assert verdict.status == "passed", verdict
