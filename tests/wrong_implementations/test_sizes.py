"""Implementations that stop in the middle of what is large are caught, each by the scenario named for it."""

from pathlib import Path

import altered
import pytest
import wrong_sizes as wrong
from new_harms import new_harms

from readfirst.harness.compare.compare import compare
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

SUITE = Suite(Path(__file__).parents[2] / "fixtures")
CAUGHT_BY: dict[type[altered.Altered], str] = {
    wrong.ComparesTheFirstBlock: "changed-after-64-kib",
    wrong.TakesOneBlock: "write-of-64-kib",
    wrong.TakesTheFirst: "edit-replaces-1-mib",
    wrong.TakesFourMebibytes: "write-of-8-mib",
    wrong.ReplacesTenThousand: "replace-all-of-100000",
}


@pytest.mark.parametrize("implementation", CAUGHT_BY, ids=lambda each: each.__name__)
def test_what_stops_in_the_middle_of_what_is_large_is_caught(
    implementation: type[altered.Altered],
) -> None:
    scenario = SUITE.scenario(f"large-messages/{CAUGHT_BY[implementation]}")
    with SitePool() as place:
        outcome = replay(scenario, implementation, place)
    verdict = compare(scenario, outcome, SUITE.contracts["2.1.7"], "effects", SUITE.vocabulary)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert new_harms(scenario.id, outcome)
