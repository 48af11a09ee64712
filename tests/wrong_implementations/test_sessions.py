"""Implementations whose sessions are in each other's way are caught, each by the scenario named for it."""

from pathlib import Path

import altered
import pytest
import wrong_sessions as wrong
from new_harms import new_harms

from readfirst.harness.compare.compare import compare
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

SUITE = Suite(Path(__file__).parents[2] / "fixtures")
CAUGHT_BY: dict[type[altered.Altered], str] = {
    wrong.SharesWhatWasRead: "two-sessions/other-has-not-read",
    wrong.WritesItsOwnCopy: "two-sessions/both-read-then-edit",
    wrong.LocksTheFolder: "two-sessions/different-files",
    wrong.TakesOthersForItself: "two-sessions/write-then-write-of-the-other",
    wrong.AgentsShareOneMemory: "at-once/agent-has-not-read",
    wrong.AgentWritesItsOwnCopy: "at-once/two-agents-edit-one-file",
    wrong.AgentLocksTheFolder: "at-once/two-agents-edit-two-files",
    wrong.TakesItsAgentForItself: "at-once/session-and-agent-edit-one-file",
}


@pytest.mark.parametrize("implementation", CAUGHT_BY, ids=lambda each: each.__name__)
def test_sessions_that_are_in_each_others_way_are_caught(implementation: type[altered.Altered]) -> None:
    scenario = SUITE.scenario(CAUGHT_BY[implementation])
    with SitePool() as place:
        outcome = replay(scenario, implementation, place)
    verdict = compare(scenario, outcome, SUITE.contracts["2.1.7"], "effects", SUITE.vocabulary)
    assert (verdict.status, verdict.blame) == ("failed", "implementation")
    assert new_harms(scenario.id, outcome)
