"""The reference with freely combined behaviours, compared with the expectations of a scenario for a version."""

from functools import lru_cache

from readfirst.harness.adapter_api import BASH, SESSION_CAPABILITIES
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Verdict, verdict_without_replay
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import TOOLS, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl import Behaviours, FileTools


class LastReadSuite(Suite):
    """A suite that keeps the scenario and the recording that it read last: each contract asks for the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self._stated = lru_cache(maxsize=1)(super().scenario)
        self.recordings.recording = lru_cache(maxsize=1)(self.recordings.recording)

    def scenario(self, scenario_id: str, contract: Contract | None = None) -> Scenario:
        stated = self._stated(scenario_id)
        return stated if contract is None else self.with_expectations_of(stated, contract)


SUITE = LastReadSuite()
_CAPABILITIES = frozenset({*TOOLS, BASH, *SESSION_CAPABILITIES})

Reference = ReferenceAdapter
"""The reference with any behaviours."""


def verdict_of(scenario: Scenario, outcome: Outcome, contract: Contract) -> Verdict:
    """Judge an outcome at level text."""
    skip = verdict_without_replay(scenario, contract, "text", _CAPABILITIES)
    return skip if skip is not None else compare(scenario, outcome, contract, "text", SUITE.vocabulary)


def judged(scenario: Scenario, outcome: Outcome, contract: Contract) -> str:
    """Return the status of an outcome at level text."""
    return verdict_of(scenario, outcome, contract).status


def offered(behaviours: str | Behaviours) -> set[str]:
    """Return the tools that the reference offers."""
    return {schema.tool for schema in FileTools(behaviours, root="/").schemas}
