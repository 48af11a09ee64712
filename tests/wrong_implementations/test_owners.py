"""Implementations that change whose a file is are caught, and one that keeps everything is not."""

import altered
import pytest
import wrong_owners as wrong

from readfirst.harness.compare.verdict import Verdict
from tests import judging
from tests.judging import SUITE

WRITTEN = sorted(
    each for each in SUITE.ids() if each.startswith(("ownership/edit-of-", "ownership/write-over-"))
)
CAUGHT_BY: dict[type[altered.Altered], str] = {
    wrong.LeavesItsMark: "edit-of-file-with-attributes",
    wrong.TakesOverWhatItRefuses: "refused-calls-leave-ownership",
    wrong.TakesOverTheFolder: "folder-of-another-group",
    wrong.DropsAttributesWhenReading: "edit-that-changes-nothing",
}


def judged(scenario_id: str, implementation: type[altered.Altered]) -> Verdict:
    verdict = judging.judged(SUITE.scenario(scenario_id), implementation, "effects", harm=True)
    if verdict.status == "unsupported":
        pytest.skip(verdict.reason)
    return verdict


@pytest.mark.parametrize("implementation", CAUGHT_BY, ids=lambda each: each.__name__)
def test_what_changes_an_owner_or_attributes_is_caught(implementation: type[altered.Altered]) -> None:
    verdict = judged(f"ownership/{CAUGHT_BY[implementation]}", implementation)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert {harm.kind for harm in verdict.harms} & {"spoiled", "stray", "untrue"}


@pytest.mark.parametrize("scenario_id", WRITTEN)
def test_who_keeps_everything_is_right_and_harms_nobody(scenario_id: str) -> None:
    verdict = judged(scenario_id, wrong.WritesInPlace)
    assert verdict.levels["effects"], verdict.differences
    assert not verdict.harms


@pytest.mark.parametrize("scenario_id", WRITTEN)
def test_who_writes_a_copy_spoils_the_file(scenario_id: str) -> None:
    assert [harm.kind for harm in judged(scenario_id, wrong.WritesACopy).harms] == ["spoiled"]
