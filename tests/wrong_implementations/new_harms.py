"""Finds harm that a wrong implementation does in a scenario and the correct implementation does not."""

from functools import cache

import altered

from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.harm.overcautious import check_overcautious
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import CONTRACT, SUITE


def judged_with_harm(
    implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool
) -> tuple[Verdict, list[Harm]]:
    """Return the verdict on one replay of a scenario, and the new harms in it.

    Asserts that the correct implementation passes.
    """
    assert of_the_reference(scenario_id)[0].status == "passed"
    outcome = replay(_scenario(scenario_id), implementation, place)
    return _verdict(scenario_id, outcome), new_harms(scenario_id, outcome)


def new_harms(scenario_id: str, outcome: Outcome) -> list[Harm]:
    """Return the harms in an outcome, except those that the reference does in the same steps."""
    scenario = _scenario(scenario_id)
    found = [
        *harms_of(scenario, outcome),
        *check_overcautious(scenario, outcome, _list_transcripts(scenario_id)),
    ]
    return [each for each in found if each not in of_the_reference(scenario_id)[1]]


@cache
def of_the_reference(scenario_id: str) -> tuple[Verdict, tuple[Harm, ...]]:
    """Return the verdict on the correct implementation, and its harms."""
    scenario = _scenario(scenario_id)
    with WorkspacePool(memory=True) as place:
        outcome = replay(scenario, altered.Altered, place)
    return _verdict(scenario_id, outcome), harms_of(scenario, outcome)


def _verdict(scenario_id: str, outcome: Outcome) -> Verdict:
    return compare(_scenario(scenario_id), outcome, CONTRACT, "text", SUITE.vocabulary)


@cache
def _scenario(scenario_id: str) -> Scenario:
    return SUITE.scenario(scenario_id)


@cache
def _list_transcripts(scenario_id: str) -> list[Transcript]:
    transcripts = SUITE.recordings.of(scenario_id, _scenario(scenario_id).inputs).transcripts
    return [transcripts[each.name] for each in SUITE.contracts if each.name in transcripts]
