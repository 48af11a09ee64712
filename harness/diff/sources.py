"""Sides: what two contracts or runs that are compared say of each scenario."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.diff.observed_answers import Answer, asked, clause_answer, patched
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.scenario import CallIndex, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript


class Side(Protocol):
    """One side of a comparison."""

    @property
    def name(self) -> str:
        """What it is called in the result."""
        ...

    def silent(self, scenario: Scenario) -> str:
        """Return why it says nothing of a scenario; empty where it does."""
        ...

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return what it gives at each call; a call that it says nothing of is missing."""
        ...

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return what was harmed in the scenario, as far as that is known: documents harm nobody."""
        ...


@dataclass(frozen=True)
class ContractSide:
    """What the suite expects for one contract, with the recorded texts where expectations hold digests only."""

    suite: Suite
    contract: Contract
    _last: list[tuple[Scenario, Scenario]] = field(default_factory=list, compare=False, repr=False)
    """The last scenario, and how the contract sees it: one question about it follows another."""

    @property
    def name(self) -> str:
        """The contract's name."""
        return self.contract.name

    def silent(self, scenario: Scenario) -> str:
        """Return what the contract lacks for the scenario."""
        if self.contract.recorded:
            absent = sorted(scenario.needs - self.contract.capabilities)
            if absent:
                return f"{self.name} has no {', '.join(absent)}"
        seen = self._seen(scenario)
        expected = [clause_for(seen, call.expect, self.contract) is not None for call in seen.calls()]
        if not (any(expected) if not self.contract.recorded else all(expected) and expected):
            return f"{self.name} says nothing about it"
        return ""

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return the clauses that hold for the contract."""
        return _answers(self._seen(scenario), self.contract)

    def _seen(self, scenario: Scenario) -> Scenario:
        if not self._last or self._last[0][0] is not scenario:
            own = scenario.contract == self.name
            seen = self.suite.in_full(scenario) if own else scenario
            self._last[:] = [(scenario, self.suite.with_expectations_of(seen, self.contract))]
        return self._last[0][1]

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return what the product was recorded to harm."""
        return _harms(scenario, self.suite.recordings.recording(scenario.id).transcripts.get(self.name))


@dataclass(frozen=True)
class TakenSide:
    """What a product that nobody has recorded gave: by scenario the transcript, or why there is none."""

    contract: Contract
    transcripts: Mapping[str, Transcript]
    lost: Mapping[str, str]

    @property
    def name(self) -> str:
        """The contract's name."""
        return self.contract.name

    def silent(self, scenario: Scenario) -> str:
        """Return why there is no transcript of the scenario."""
        if scenario.id in self.transcripts:
            return ""
        return self.lost.get(scenario.id, f"{self.name} was not asked")

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return what the product gave, as far as it would be expected of others."""
        return _answers(
            with_expectations_of(scenario, self.name, self.transcripts[scenario.id]), self.contract
        )

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return what the product harmed."""
        return _harms(scenario, self.transcripts[scenario.id])


def _harms(scenario: Scenario, transcript: Transcript | None) -> frozenset[Kind]:
    if transcript is None:
        return frozenset()
    return frozenset(each.kind for each in harms_of(scenario, recorded_outcome(scenario, transcript)))


def _answers(seen: Scenario, contract: Contract) -> dict[CallIndex, Answer]:
    """Return what the clauses of a contract say."""
    answers: dict[CallIndex, Answer] = {}
    for each in asked(seen):
        clause = clause_for(seen, each.expect, contract)
        if clause is not None:
            answers[each.place] = clause_answer(clause)
        elif each.call is None and contract.recorded:
            answers[each.place] = Answer()  # a group that changes no files needs no clause
    return answers


@dataclass(frozen=True)
class RunSide:
    """What a run gave: what was expected of it by `base`, but for the differences that it was judged by."""

    name: str
    base: ContractSide
    verdicts: Iterable[Verdict]
    interrupted: bool = False

    @cached_property
    def by_id(self) -> Mapping[str, Verdict]:
        """The verdicts by scenario."""
        return {verdict.scenario_id: verdict for verdict in self.verdicts}

    def silent(self, scenario: Scenario) -> str:
        """Return why the run has no result for the scenario."""
        verdict = self.by_id.get(scenario.id)
        if verdict is None:
            return f"{self.name} did not run it"
        if verdict.status in ("passed", "failed"):
            return ""
        if verdict.status == "broken":
            return f"{self.name} broke"
        return verdict.reason or verdict.status

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return what the run gave at each call."""
        verdict = self.by_id[scenario.id]
        expected = self.base.answers(scenario)
        return patched(scenario, expected, verdict.differences, self.base.suite.vocabulary)

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return what the verdict says."""
        return frozenset(each.kind for each in self.by_id[scenario.id].harms)
