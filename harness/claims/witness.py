"""Witness: replays recordings, to hold claims against what each contract's product did."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from readfirst.harness.adapters.recording import OneTranscript, recorded_result
from readfirst.harness.claims.claims import Shown
from readfirst.harness.claims.evidence import (
    Evidence,
    Holding,
    Statement,
    answers_of,
    judged_statements,
    statements,
)
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, RecordingError, Transcript, TranscriptStep
from readfirst.harness.workspace.site import SitePool


class Witness:
    """Replays recordings, each transcript once; close it to remove its workspaces.

    The contract is that of the scenario unless another one is named: the default one, or the one that the
    scenario names because the default lacks its tools.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._place = SitePool(memory=True, stamps=True)
        self._scenarios: dict[str, tuple[Scenario, Mapping[str, Transcript]]] = {}
        self._outcomes: dict[tuple[str, int], Outcome] = {}
        self._replays: dict[Hashable, Outcome] = {}
        self._judged: dict[tuple[int, int], tuple[Shown, tuple[Statement, ...]]] = {}

    def scenario(self, scenario_id: str) -> Scenario:
        """Return one scenario. Raises UnknownScenarioError, or SuiteError with all that is wrong in it."""
        return self._read(scenario_id)[0]

    def evidence(self, shown: Shown, sources: Sequence[str], contract: str | None = None) -> Evidence:
        """Judge what a claim with these sources says of a scenario."""
        scenario = self.scenario(shown.scenario_id)
        name = contract or scenario.contract
        outcome = self._outcome(scenario, name)
        if outcome is not None:
            return Evidence(scenario.id, scenario.title, self._judge(scenario, shown, sources, outcome), name)
        said = statements(scenario, shown, sources)
        if scenario.needs - self._suite.contracts[name].capabilities:
            said = tuple(replace(statement, holding="not shown") for statement in said)
        return Evidence(scenario.id, scenario.title, said, name)

    def answer(self, shown: Shown) -> Evidence:
        """Return what the product did at the call that counts, the last one unless it is named."""
        scenario = self.scenario(shown.scenario_id)
        outcome = self._outcome(scenario, scenario.contract)
        calls = list(scenario.calls())
        number = shown.call or len(calls)
        answered = None if outcome is None else answers_of(self._suite, scenario, outcome)[number - 1]
        holding: Holding = "not recorded" if answered is None else "holds"
        statement = Statement(number, calls[number - 1].tool, None, answer=answered, holding=holding)
        return Evidence(scenario.id, scenario.title, (statement,), scenario.contract)

    def close(self) -> None:
        """Remove the workspaces."""
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, scenario_id: str) -> tuple[Scenario, Mapping[str, Transcript]]:
        found = self._scenarios.get(scenario_id)
        if found is None:
            scenario = self._suite.scenario(scenario_id, require_expect=False)
            try:
                recording = self._suite.recordings.of(scenario_id, scenario.inputs)
            except RecordingError:
                transcripts: Mapping[str, Transcript] = {}
            else:
                transcripts = recording.transcripts
            found = self._scenarios[scenario_id] = scenario, transcripts
        return found

    def _judge(
        self, scenario: Scenario, shown: Shown, sources: Sequence[str], outcome: Outcome
    ) -> tuple[Statement, ...]:
        """Judge each piece of evidence once per outcome. Both are kept, so that their identities stay theirs."""
        key = id(shown), id(outcome)
        if key not in self._judged:
            said = statements(scenario, shown, sources)
            self._judged[key] = shown, judged_statements(self._suite, scenario, said, outcome)
        return self._judged[key][1]

    def _outcome(self, scenario: Scenario, contract: str) -> Outcome | None:
        """Return what a contract's product did, None where there is no recording of these calls.

        Contracts that gave the same share their transcript, and so their outcome. Those that did the same in other
        words share a replay.
        """
        transcript = self._read(scenario.id)[1].get(contract)
        if transcript is None:
            return None
        key = scenario.id, id(transcript)
        if key not in self._outcomes:
            done = scenario.id, tuple(_deeds(step) for step in transcript.steps)
            if done not in self._replays:
                self._replays[done] = replay(scenario, OneTranscript(transcript), self._place)
            self._outcomes[key] = _worded(self._replays[done], transcript)
        outcome = self._outcomes[key]
        return outcome if outcome.broken is None else None


def _deeds(step: TranscriptStep) -> Hashable:
    """Return what a step is without its words."""
    return replace(step, results=tuple(RecordedResult("", result.error) for result in step.results)).key


def _worded(outcome: Outcome, transcript: Transcript) -> Outcome:
    """Return the outcome in the words of a transcript that did the same."""
    rows = iter(transcript.steps)
    steps = [
        replace(step, results=tuple(map(recorded_result, next(rows).results))) if step.results else step
        for step in outcome.steps
    ]
    return replace(outcome, steps=tuple(steps))
