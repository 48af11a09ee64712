from functools import lru_cache

from readfirst.harness.adapter_api import BASH, SESSION_CAPABILITIES
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict, verdict_without_replay
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import TOOLS, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl import Behaviours, FileTools


class LastReadSuite(Suite):
    """Caches the last scenario and its recording, because tests judge it on one contract after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._stated = lru_cache(maxsize=1)(super().scenario)
        self.recordings.recording = lru_cache(maxsize=1)(self.recordings.recording)

    def scenario(self, scenario_id: str, contract: Contract | None = None) -> Scenario:
        stated = self._stated(scenario_id)
        return stated if contract is None else self.with_expectations_of(stated, contract)


SUITE = LastReadSuite()
_CAPABILITIES = frozenset({*TOOLS, BASH, *SESSION_CAPABILITIES})


def judge_outcome(scenario: Scenario, outcome: Outcome, contract: Contract) -> Verdict:
    """Return the verdict at the level `text`. Without an expectation of the contract, the outcome is not compared."""
    skip = verdict_without_replay(scenario, contract, "text", _CAPABILITIES)
    return skip if skip is not None else compare(scenario, outcome, contract, "text", SUITE.vocabulary)


def judge_status(scenario: Scenario, outcome: Outcome, contract: Contract) -> str:
    return judge_outcome(scenario, outcome, contract).status


def list_tools(behaviours: str | Behaviours) -> set[str]:
    return {schema.tool for schema in FileTools(behaviours, root="/").schemas}
