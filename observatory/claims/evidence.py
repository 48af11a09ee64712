"""Compare each claim with the recorded behaviour of the product in the claim's scenarios."""

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
from readfirst.observatory.claims.claims import ScenarioReference

ClaimStatus = Literal["holds", "in other words", "partly", "does not hold", "not shown", "not recorded"]
"""Whether a claim is true in a version of the product. `in other words`: yes, but the answer's text differs. `partly`:
only in some calls or scenarios. `not shown`: undecidable, because the version lacks a tool or an argument, an earlier
call had an unexpected result, or a presumed claim is false.
"""


_INVALID_ARGUMENTS = "invalid_arguments"
_LINE_NUMBER_PATTERN = re.compile(r"(?m)^ *([0-9]+)[→\t]")


@dataclass(frozen=True, slots=True)
class Statement:
    """The claimed result (`clause`) of the call number `call` (from 1), the recorded result, and whether they agree.
    `states_files`: the claim includes the changed files. `exact`: the claim includes the exact words of the answer.
    """

    call: int
    tool: str
    clause: Clause | None
    states_files: bool = True
    exact: bool = False
    answer: Clause | None = None
    status: ClaimStatus = "not recorded"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The statements of a claim about the calls of one scenario, compared with the recording of one contract."""

    scenario_id: str
    title: str
    statements: tuple[Statement, ...]
    contract: str

    @property
    def status(self) -> ClaimStatus:
        """The status of the claim in this scenario, combined from the statuses of all statements."""
        return combine_statuses([statement.status for statement in self.statements])


def combine_statuses(statuses: Sequence[ClaimStatus]) -> ClaimStatus:
    """Return the combined status of calls or scenarios: `not recorded` if one has this status. Otherwise, `not shown`
    is ignored if possible, `in other words` takes precedence over `holds`, and other mixtures result in `partly`.
    """
    if not statuses or "not recorded" in statuses:
        return "not recorded"
    shown = {each for each in statuses if each != "not shown"}
    if shown == {"holds", "in other words"}:
        return "in other words"
    return "partly" if len(shown) > 1 else next(iter(shown), "not shown")


def claimed_statements(
    scenario: Scenario, shown: ScenarioReference, sources: Sequence[str]
) -> tuple[Statement, ...]:
    """Return the results that a claim states for calls of a scenario: the `clause` of `shown` or, if `shown` has none,
    the `documented` results (from the `sources` if possible). Empty if the scenario lacks the call or the results.
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


def judge_statements(
    suite: Suite, scenario: Scenario, said: Sequence[Statement], outcome: Outcome
) -> tuple[Statement, ...]:
    """Return the statements `said` with the recorded results from `outcome`, and with the status of each statement."""
    answers = recorded_answers(suite, scenario, outcome)
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
        lacks = answer.error == _INVALID_ARGUMENTS and own is not None and own.error != _INVALID_ARGUMENTS
        unasked = astray < place[0] or lacks
        status: ClaimStatus = (
            "not shown" if unasked else _statement_status(statement, place, differences, answer)
        )
        return replace(statement, answer=answer, status=status)

    return tuple(map(judge, said))


def recorded_answers(suite: Suite, scenario: Scenario, outcome: Outcome) -> list[Clause]:
    """Return the result of each call in a recorded outcome: the name of the error, the text and the changed files."""
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


def _statement_status(
    statement: Statement, place: tuple[int, int | None], differences: Sequence[Difference], answer: Clause
) -> ClaimStatus:
    step, number = place
    levels = {each.level for each in differences if each.step == step and number in (None, each.call)}
    if not levels:
        return "holds"
    clause = statement.clause or Clause()
    # A Read has only its words; a refusal or a change can be right in different words.
    acts = clause.error is not None or (statement.states_files and clause.files)
    reworded = acts or _differs_only_in_line_numbers(clause.text, str(answer.text))
    return "in other words" if levels == {"text"} and reworded and not statement.exact else "does not hold"


def _differs_only_in_line_numbers(said: str | TextDigest | None, text: str) -> bool:
    """Whether two answers differ only in the form of the line numbers: `   1→alpha` or `1⇥alpha`."""
    plain = _normalize_line_numbers(text)
    match said:
        case str():
            return _normalize_line_numbers(said) == plain
        case TextDigest(sha256=None, starts=starts, ends=ends):
            numbered = replace(
                said,
                starts=starts and _normalize_line_numbers(starts),
                ends=ends and _normalize_line_numbers(ends),
            )
            return not text_differences(numbered, plain, plain)
        case _:
            return False


def _normalize_line_numbers(text: str) -> str:
    return _LINE_NUMBER_PATTERN.sub(r"\1\t", text)


class RecordingLookup:
    """Compares claims with recordings, and caches the results. By default, uses the recording of the default contract
    or, if this contract lacks a tool of the scenario, of the contract that the scenario names.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._scenarios: dict[str, tuple[Scenario, Mapping[str, Transcript]]] = {}
        self._outcomes: dict[tuple[str, int], Outcome] = {}
        self._judged: dict[tuple[int, int], tuple[ScenarioReference, tuple[Statement, ...]]] = {}

    def scenario(self, scenario_id: str) -> Scenario:
        """Return a scenario. Raises UnknownScenarioError, or SuiteError with all errors of the file."""
        return self._read_scenario(scenario_id)[0]

    def evidence(
        self, shown: ScenarioReference, sources: Sequence[str], contract: str | None = None
    ) -> Evidence:
        """Compare a claim with the recording of its scenario `shown`, by default for the contract of the scenario."""
        scenario = self.scenario(shown.scenario_id)
        name = contract or scenario.contract
        outcome = self._outcome(scenario, name)
        if outcome is not None:
            return Evidence(scenario.id, scenario.title, self._judge(scenario, shown, sources, outcome), name)
        said = claimed_statements(scenario, shown, sources)
        if scenario.needs - self._suite.contracts[name].capabilities:
            said = tuple(replace(statement, status="not shown") for statement in said)
        return Evidence(scenario.id, scenario.title, said, name)

    def answer(self, shown: ScenarioReference) -> Evidence:
        """Return the recorded answer to the call that `shown` names, by default the last call of the scenario."""
        scenario = self.scenario(shown.scenario_id)
        outcome = self._outcome(scenario, scenario.contract)
        calls = list(scenario.calls())
        number = shown.call or len(calls)
        answered = None if outcome is None else recorded_answers(self._suite, scenario, outcome)[number - 1]
        status: ClaimStatus = "not recorded" if answered is None else "holds"
        statement = Statement(number, calls[number - 1].tool, None, answer=answered, status=status)
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
        self, scenario: Scenario, shown: ScenarioReference, sources: Sequence[str], outcome: Outcome
    ) -> tuple[Statement, ...]:
        """Return the claim's statements about the calls of a scenario, each with its status. Results are cached."""
        key = id(shown), id(outcome)
        if key not in self._judged:
            said = claimed_statements(scenario, shown, sources)
            # The cache keeps `shown`, so that its id is not reused.
            self._judged[key] = shown, judge_statements(self._suite, scenario, said, outcome)
        return self._judged[key][1]

    def _outcome(self, scenario: Scenario, contract: str) -> Outcome | None:
        """Return the recorded outcome. None if nothing was recorded, or if the scenario calls different tools now."""
        transcript = self._read_scenario(scenario.id)[1].get(contract)
        called = [call.tool for call in scenario.calls()]
        if transcript is None or [tool for step in transcript.steps for tool in step.tools] != called:
            return None
        key = scenario.id, id(transcript)
        if key not in self._outcomes:
            self._outcomes[key] = recorded_outcome(scenario, transcript)
        return self._outcomes[key]
