"""Witness: what recordings show, to hold claims against what each contract's product did."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readfirst.harness.claims.claims import Shown
from readfirst.harness.claims.evidence import (
    Evidence,
    Holding,
    Statement,
    answers_of,
    judged_statements,
    statements,
)
from readfirst.harness.harm.recorded import recorded_outcome
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError, Transcript


class Witness:
    """Knows what recordings show, each transcript made an outcome once.

    The contract is that of the scenario unless another one is named: the default one, or the one that the
    scenario names because the default lacks its tools.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._scenarios: dict[str, tuple[Scenario, Mapping[str, Transcript]]] = {}
        self._outcomes: dict[tuple[str, int], Outcome] = {}
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

        Contracts that gave the same share their transcript, and so their outcome.
        """
        transcript = self._read(scenario.id)[1].get(contract)
        called = [call.tool for call in scenario.calls()]
        if transcript is None or [tool for step in transcript.steps for tool in step.tools] != called:
            return None
        key = scenario.id, id(transcript)
        if key not in self._outcomes:
            self._outcomes[key] = recorded_outcome(scenario, transcript)
        return self._outcomes[key]
