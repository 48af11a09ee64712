"""Compare the claims about a scenario with the recordings of a contract."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.file_comparison import text_differences
from readfirst.harness.compare.verdict import Difference
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    Scenario,
    TextDigest,
    ToolCall,
    calls_of,
    with_calls,
)
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import UNNAMED, RecordingError, Transcript
from readfirst.harness.suite.unwrap_host_text import answer_of
from readfirst.observatory.claims.claims import Shown

Holding = Literal["holds", "in other words", "partly", "does not hold", "not shown", "not recorded"]
"""Whether a claim is true.

`in other words`: the refusal or the change is as claimed, but the text of the answer differs. `partly`: only some of
several calls or scenarios are as claimed. `not shown`: the version lacks a tool or an argument that the scenario
needs, or an earlier call had a different result, so the relevant call shows nothing.
"""


_WRONG_ARGUMENTS = "invalid_arguments"
_LINE_NUMBER = re.compile(r"(?m)^ *([0-9]+)[→\t]")


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of a claim or a documented clause about one call (`clause`), the recorded result of the call
    (`answer`), and whether the result confirms it (`holding`).

    `call` counts from 1. `states_files`: the clause covers changed files. `exact`: the clause covers the words of the
    answer.
    """

    call: int
    tool: str
    clause: Clause | None
    states_files: bool = True
    exact: bool = False
    answer: Clause | None = None
    holding: Holding = "not recorded"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The statements about the relevant calls of one scenario, compared with the recording of one contract."""

    scenario_id: str
    title: str
    statements: tuple[Statement, ...]
    contract: str

    @property
    def holding(self) -> Holding:
        """Whether all statements about the scenario are true, as one combined result."""
        return combine_holdings([statement.holding for statement in self.statements])


def combine_holdings(holdings: Sequence[Holding]) -> Holding:
    """Combine the results of several scenarios or calls into one result.

    If one is `not recorded`, the combined result is `not recorded`. Results `not shown` are ignored if there are other
    results.
    """
    if not holdings or "not recorded" in holdings:
        return "not recorded"
    shown = {each for each in holdings if each != "not shown"}
    if shown == {"holds", "in other words"}:
        return "in other words"
    return "partly" if len(shown) > 1 else next(iter(shown), "not shown")


def statements(scenario: Scenario, shown: Shown, sources: Sequence[str]) -> tuple[Statement, ...]:
    """Return the statements about the calls of the scenario: the claim's own expectation, or if it has none, the
    documented clauses of the scenario.

    If documented clauses have one of the `sources`, other clauses are ignored. Empty if nothing is stated, or if the
    scenario lacks the call that `shown` names.
    """
    calls = list(enumerate(scenario.calls(), 1))
    if shown.call is not None:
        calls = [(number, call) for number, call in calls if number == shown.call]
    if shown.clause is not None:
        return tuple(
            Statement(number, call.tool, shown.clause, shown.states_files, shown.exact)
            for number, call in calls
        )
    said = [
        (number, call.tool, clause)
        for number, call in calls
        if (clause := call.expect.documented) is not None
    ]
    fitting = [item for item in said if item[2].documented in sources]
    return tuple(Statement(number, tool, clause) for number, tool, clause in fitting or said)


def judged_statements(
    suite: Suite, scenario: Scenario, said: Sequence[Statement], outcome: Outcome
) -> tuple[Statement, ...]:
    """Return the statements with the actual results of their calls in `outcome`, and whether these confirm them."""
    answers = answers_of(suite, scenario, outcome)
    stated: dict[int, Clause] = {}
    for each in said:
        clause = each.clause or Clause()
        # Files that a claim does not mention are expected as observed.
        files = clause.files if each.states_files else answers[each.call - 1].files
        stated[each.call] = replace(clause, files=files, documented=clause.documented or "claim")
    numbers = count(1)

    def said_only(call: ToolCall) -> ToolCall:
        return replace(call, expect=Expectation(call.expect.recorded, stated.get(next(numbers))))

    judged = replace(scenario, steps=tuple(with_calls(step, said_only) for step in scenario.steps))
    documented = suite.contracts[DOCUMENTED]
    differences = compare(judged, outcome, documented, "text", suite.vocabulary).differences
    places = [place for place, _ in scenario.places()]
    own = {places[call - 1][0] for call in stated}
    astray = min(
        (each.step for each in differences if each.level == "effects" and each.step not in own),
        default=len(scenario.steps),
    )

    calls = list(scenario.calls())

    def judge(statement: Statement) -> Statement:
        place, answer = places[statement.call - 1], answers[statement.call - 1]
        own = calls[statement.call - 1].expect.recorded
        # The version does not take the arguments of a call, where the scenario's own contract does.
        lacks = answer.error == _WRONG_ARGUMENTS and own is not None and own.error != _WRONG_ARGUMENTS
        unasked = astray < place[0] or lacks
        holding: Holding = "not shown" if unasked else _holding(statement, place, differences, answer)
        return replace(statement, answer=answer, holding=holding)

    return tuple(map(judge, said))


def answers_of(suite: Suite, scenario: Scenario, outcome: Outcome) -> list[Clause]:
    """Return an answer per call: error name, text and changed files. The outcome must contain every step."""
    answers = []
    for step, happened in zip(scenario.steps, outcome.steps, strict=True):
        own = {
            path: entry
            for path, entry in happened.changes.items()
            if path not in happened.expected_world or happened.expected_world[path] != entry
        }
        for call, result in zip(calls_of(step), happened.results, strict=False):
            text = answer_of(result.text)
            error = (suite.vocabulary.name_of(call.tool, text) or UNNAMED) if result.is_error else None
            answers.append(Clause(error=error, text=text, files=own))
    return answers


def _holding(
    statement: Statement,
    place: tuple[int, int | None],
    differences: Sequence[Difference],
    answer: Clause,
) -> Holding:
    step, number = place
    levels = {each.level for each in differences if each.step == step and number in (None, each.call)}
    if not levels:
        return "holds"
    clause = statement.clause or Clause()
    # A Read has only its words; a refusal or a change can be right in different words.
    acts = clause.error is not None or (statement.states_files and clause.files)
    reworded = acts or _numbered_otherwise(clause.text, str(answer.text))
    return "in other words" if levels == {"text"} and reworded and not statement.exact else "does not hold"


def _numbered_otherwise(said: str | TextDigest | None, text: str) -> bool:
    """Whether two texts differ only in the form of their line numbers: padded or not, with an arrow or a tab."""
    plain = _plain_numbers(text)
    match said:
        case str():
            return _plain_numbers(said) == plain
        case TextDigest(sha256=None, starts=starts, ends=ends):
            numbered = replace(
                said, starts=starts and _plain_numbers(starts), ends=ends and _plain_numbers(ends)
            )
            return not text_differences(numbered, plain, plain)
        case _:
            return False


def _plain_numbers(text: str) -> str:
    return _LINE_NUMBER.sub(r"\1\t", text)


class RecordingLookup:
    """Compares claims with recordings. Each recorded transcript is converted to an outcome only once.

    If no contract is given, the contract of the scenario is used. This is the default contract, or the contract named
    in the scenario if the default contract lacks its tools.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._scenarios: dict[str, tuple[Scenario, Mapping[str, Transcript]]] = {}
        self._outcomes: dict[tuple[str, int], Outcome] = {}
        self._judged: dict[tuple[int, int], tuple[Shown, tuple[Statement, ...]]] = {}

    def scenario(self, scenario_id: str) -> Scenario:
        """Return the scenario with this id. Raises UnknownScenarioError, or SuiteError with all errors of the file."""
        return self._read_scenario(scenario_id)[0]

    def evidence(self, shown: Shown, sources: Sequence[str], contract: str | None = None) -> Evidence:
        """Return the statements of a claim about one scenario, compared with the recording of a contract. `sources` are
        the claim's.
        """
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
        """Return the recorded answer to the call `shown` (default: the last call) as evidence without a statement."""
        scenario = self.scenario(shown.scenario_id)
        outcome = self._outcome(scenario, scenario.contract)
        calls = list(scenario.calls())
        number = shown.call or len(calls)
        answered = None if outcome is None else answers_of(self._suite, scenario, outcome)[number - 1]
        holding: Holding = "not recorded" if answered is None else "holds"
        statement = Statement(number, calls[number - 1].tool, None, answer=answered, holding=holding)
        return Evidence(scenario.id, scenario.title, (statement,), scenario.contract)

    def _read_scenario(self, scenario_id: str) -> tuple[Scenario, Mapping[str, Transcript]]:
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
        """Return the judged statements for a piece of evidence and an outcome. They are computed once for each pair.

        The cache keeps the evidence, because its key is the evidence's `id()`, which Python may reuse for a new object.
        """
        key = id(shown), id(outcome)
        if key not in self._judged:
            said = statements(scenario, shown, sources)
            self._judged[key] = shown, judged_statements(self._suite, scenario, said, outcome)
        return self._judged[key][1]

    def _outcome(self, scenario: Scenario, contract: str) -> Outcome | None:
        """Return the outcome of a scenario that was recorded for a contract. None if the recording lacks the contract
        or has other steps.

        Contracts with the same answers share one transcript and one outcome.
        """
        transcript = self._read_scenario(scenario.id)[1].get(contract)
        called = [call.tool for call in scenario.calls()]
        if transcript is None or [tool for step in transcript.steps for tool in step.tools] != called:
            return None
        key = scenario.id, id(transcript)
        if key not in self._outcomes:
            self._outcomes[key] = recorded_outcome(scenario, transcript)
        return self._outcomes[key]
