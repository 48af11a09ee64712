"""The sides of a comparison: a contract or a run, with its answers and harms in each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.diff.observed_answers import step_answers
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.scenario import CallIndex, Clause, ParallelCalls, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript


class NoAnswersError(Exception):
    """A side has no answers in a scenario, so the scenario is not compared. The message is the reason."""


class Side(Protocol):
    """One side of a comparison: a contract, or a run of an implementation."""

    @property
    def name(self) -> str:
        """The name that the output uses for the side."""
        ...

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Clause]:
        """Return the answers of the side in a scenario, by the position of the call. Raises NoAnswersError."""
        ...

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the kinds of harm that the side does in a scenario. Empty if the harms are unknown."""
        ...


def has_answers(side: Side, scenario: Scenario) -> bool:
    """Whether a side has answers to the calls of a scenario, so that the scenario can be compared."""
    try:
        side.answers(scenario)
    except NoAnswersError:
        return False
    return True


@dataclass(frozen=True)
class ContractSide:
    """A contract as one side of a comparison. Its answers are its expectations, with full texts instead of digests."""

    suite: Suite
    contract: Contract
    taken: Mapping[str, Transcript] | None = None
    """The transcripts by scenario id, for a version that is not a contract yet."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """The reasons for missing transcripts, by scenario id."""

    @property
    def name(self) -> str:
        """The name of the contract, which the output uses for this side."""
        return self.contract.name

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Clause]:
        """Return the answers that the contract expects, or that the extended contract expects if it judges the
        scenario. Raises NoAnswersError if no contract covers the scenario.
        """
        if (extended := self._extended_side(scenario)) is not None:
            return extended.answers(scenario)
        seen = self._with_contract(scenario)
        expected = [clause_for(seen, call.expect, self.contract) is not None for call in seen.calls()]
        if not (any(expected) if not self.contract.recorded else all(expected) and expected):
            raise NoAnswersError(f"{self.name} says nothing about it")
        answers: dict[CallIndex, Clause] = {}
        for location, part in seen.parts():
            clause = clause_for(seen, part.expect, self.contract)
            if clause is not None:
                answers[location] = clause
            elif isinstance(part, ParallelCalls) and self.contract.recorded:
                answers[location] = Clause()  # a group without file changes needs no clause
        return answers

    def _extended_side(self, scenario: Scenario) -> ContractSide | None:
        """Return a side for the extended contract if that contract judges the scenario. Otherwise None."""
        judging = self.contract.for_scenario(scenario)
        return None if judging is self.contract else ContractSide(self.suite, judging)

    def _with_contract(self, scenario: Scenario) -> Scenario:
        if self.taken is not None:
            if scenario.id not in self.taken:
                raise NoAnswersError(self.lost.get(scenario.id, f"{self.name} was not asked"))
            return with_expectations_of(scenario, self.name, self.taken[scenario.id])
        absent = sorted(scenario.needs - self.contract.capabilities) if self.contract.recorded else ()
        if absent:
            raise NoAnswersError(f"{self.name} has no {', '.join(absent)}")
        seen = self.suite.with_full_contents(scenario) if scenario.contract == self.name else scenario
        return self.suite.with_expectations_of(seen, self.contract)

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the kinds of harm that the recorded product did in a scenario. Empty without a transcript."""
        if (extended := self._extended_side(scenario)) is not None:
            return extended.harms(scenario)
        if self.taken is not None:
            transcript = self.taken.get(scenario.id)
        else:
            transcript = self.suite.recordings.recording(scenario.id).transcripts.get(self.name)
        if transcript is None:
            return frozenset()
        return frozenset(harm.kind for harm in harms_of(scenario, recorded_outcome(scenario, transcript)))


@dataclass(frozen=True)
class RunSide:
    """A run as one side of a comparison. Its answers are those of the contract `base`, with the run's differences."""

    name: str
    base: ContractSide
    verdicts: Iterable[Verdict]
    interrupted: bool = False

    @cached_property
    def by_id(self) -> Mapping[str, Verdict]:
        """The verdict of each scenario in the run, by scenario id."""
        return {verdict.scenario_id: verdict for verdict in self.verdicts}

    def answers(self, scenario: Scenario) -> Mapping[CallIndex, Clause]:
        """Return the run's answers to the calls of a scenario. Raises NoAnswersError if the run lacks a result."""
        verdict = self.by_id.get(scenario.id)
        if verdict is None:
            raise NoAnswersError(f"{self.name} did not run it")
        if verdict.status not in ("passed", "failed"):
            broke = f"{self.name} broke"
            raise NoAnswersError(broke if verdict.status == "error" else verdict.reason or verdict.status)
        answers = dict(self.base.answers(scenario))
        for index, row in verdict.answers.items():
            if index < len(scenario.steps):  # the scenario may be shorter now
                # Contracts state no new directories above new files.
                created = {path: mode for path, mode in row.created.items() if path in row.changes}
                answers |= step_answers(index, scenario.steps[index], replace(row, created=created))
        return answers

    def harms(self, scenario: Scenario) -> frozenset[Kind]:
        """Return the kinds of harm that the run's verdict on a scenario contains."""
        return frozenset(harm.kind for harm in self.by_id[scenario.id].harms)
