"""Finds harm that a wrong implementation does in a scenario and that the correct implementation does not do."""

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


def judge_with_harms(
    implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool
) -> tuple[Verdict, list[Harm]]:
    """Return the verdict and the new harm. Asserts that the correct implementation passes the scenario."""
    reference_verdict, reference_harms = _judge_reference(scenario_id)
    assert reference_verdict.status == "passed"
    scenario = _scenario(scenario_id)
    outcome = replay(scenario, implementation, place)
    harms = [
        *harms_of(scenario, outcome),
        *check_overcautious(scenario, outcome, _list_transcripts(scenario_id)),
    ]
    return _verdict(scenario_id, outcome), [harm for harm in harms if harm not in reference_harms]


@cache
def _judge_reference(scenario_id: str) -> tuple[Verdict, tuple[Harm, ...]]:
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
