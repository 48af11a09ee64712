"""A file that is written in place keeps its owner; a file that is replaced by a copy does not."""

import altered
import pytest
import wrong_owners as wrong

from readfirst.harness.compare.verdict import Verdict
from tests import judging
from tests.judging import SUITE

WRITTEN = sorted(
    each for each in SUITE.ids() if each.startswith(("ownership/edit-of-", "ownership/write-over-"))
)


def judge_scenario(scenario_id: str, implementation: type[altered.Altered]) -> Verdict:
    verdict = judging.judge_scenario(SUITE.scenario(scenario_id), implementation, "effects", harm=True)
    if verdict.status == "unsupported":
        pytest.skip(verdict.reason)
    return verdict


@pytest.mark.parametrize("scenario_id", WRITTEN)
def test_who_keeps_everything_is_right_and_who_writes_a_copy_spoils_the_file(scenario_id: str) -> None:
    verdict = judge_scenario(scenario_id, wrong.WritesInPlace)
    assert verdict.levels["effects"], verdict.differences
    assert not verdict.harms
    assert [harm.kind for harm in judge_scenario(scenario_id, wrong.WritesACopy).harms] == ["spoiled"]
