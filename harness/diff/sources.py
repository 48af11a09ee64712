"""The sides of a comparison: contracts and runs, with their answers and harms for each scenario."""

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
        """The name of the side in the result."""
        ...

    def silent(self, scenario: Scenario) -> str:
        """Explain why the side has no answers for a scenario. Empty if it has answers."""
        ...

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return the answers by call. Calls without an answer are missing."""
        ...

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the kinds of harm in the scenario. Empty if they are not known, as for documents."""
        ...


@dataclass(frozen=True)
class ContractSide:
    """The expectations of one contract. Digests are replaced by the recorded texts."""

    suite: Suite
    contract: Contract
    _last: list[tuple[Scenario, Scenario]] = field(default_factory=list, compare=False, repr=False)
    """Cache of the last scenario as the contract sees it, because it is used several times in a row."""

    @property
    def name(self) -> str:
        """The contract's name."""
        return self.contract.name

    def silent(self, scenario: Scenario) -> str:
        """Explain why the contract does not cover a scenario. Empty if it does."""
        if self.contract.recorded:
            absent = sorted(scenario.needs - self.contract.capabilities)
            if absent:
                return f"{self.name} has no {', '.join(absent)}"
        seen = self._with_contract(scenario)
        expected = [clause_for(seen, call.expect, self.contract) is not None for call in seen.calls()]
        if not (any(expected) if not self.contract.recorded else all(expected) and expected):
            return f"{self.name} says nothing about it"
        return ""

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return the answers that the contract expects."""
        return _answers_of_clauses(self._with_contract(scenario), self.contract)

    def _with_contract(self, scenario: Scenario) -> Scenario:
        if not self._last or self._last[0][0] is not scenario:
            own = scenario.contract == self.name
            seen = self.suite.in_full(scenario) if own else scenario
            self._last[:] = [(scenario, self.suite.with_expectations_of(seen, self.contract))]
        return self._last[0][1]

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the harms in the recording."""
        return _harms_of_transcript(
            scenario, self.suite.recordings.recording(scenario.id).transcripts.get(self.name)
        )


@dataclass(frozen=True)
class TakenSide:
    """A product without a recorded contract: the transcripts of its replays, or the reasons for missing ones."""

    contract: Contract
    transcripts: Mapping[str, Transcript]
    lost: Mapping[str, str]

    @property
    def name(self) -> str:
        """The contract's name."""
        return self.contract.name

    def silent(self, scenario: Scenario) -> str:
        """Return the reason for a missing transcript of the scenario. Empty if there is one."""
        if scenario.id in self.transcripts:
            return ""
        return self.lost.get(scenario.id, f"{self.name} was not asked")

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return the answers of the product as the clauses that a contract would expect."""
        return _answers_of_clauses(
            with_expectations_of(scenario, self.name, self.transcripts[scenario.id]), self.contract
        )

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the harms in the transcript."""
        return _harms_of_transcript(scenario, self.transcripts[scenario.id])


def _harms_of_transcript(scenario: Scenario, transcript: Transcript | None) -> frozenset[Kind]:
    if transcript is None:
        return frozenset()
    return frozenset(harm.kind for harm in harms_of(scenario, recorded_outcome(scenario, transcript)))


def _answers_of_clauses(scenario: Scenario, contract: Contract) -> dict[CallIndex, Answer]:
    """Return the answers that the clauses of a contract state."""
    answers: dict[CallIndex, Answer] = {}
    for call in asked(scenario):
        clause = clause_for(scenario, call.expect, contract)
        if clause is not None:
            answers[call.place] = clause_answer(clause)
        elif call.call is None and contract.recorded:
            answers[call.place] = Answer()  # a group without file changes needs no clause
    return answers


@dataclass(frozen=True)
class RunSide:
    """The answers of a run: the expectations of `base`, changed by the differences that the run was judged by."""

    name: str
    base: ContractSide
    verdicts: Iterable[Verdict]
    interrupted: bool = False

    @cached_property
    def by_id(self) -> Mapping[str, Verdict]:
        """The verdicts by scenario."""
        return {verdict.scenario_id: verdict for verdict in self.verdicts}

    def silent(self, scenario: Scenario) -> str:
        """Explain why the run has no result for the scenario. Empty if it has a result."""
        verdict = self.by_id.get(scenario.id)
        if verdict is None:
            return f"{self.name} did not run it"
        if verdict.status in ("passed", "failed"):
            return ""
        if verdict.status == "broken":
            return f"{self.name} broke"
        return verdict.reason or verdict.status

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Answer]:
        """Return the answers of the run by call."""
        verdict = self.by_id[scenario.id]
        expected = self.base.answers(scenario)
        return patched(scenario, expected, verdict.differences, self.base.suite.vocabulary)

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the kinds of harm in the verdict."""
        return frozenset(harm.kind for harm in self.by_id[scenario.id].harms)
