"""Evidence: holds what a claim says of a scenario against what the default contract's recording shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from readfirst.harness.adapters.recording import RecordingAdapter
from readfirst.harness.claims.claims import Shown
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.verdict import Difference
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.session import ToolResult
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.entry import Entry
from readfirst.harness.suite.host_text import answer_of
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Clause, Expectation, ParallelCalls, Scenario, Step, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

__all__ = ["Evidence", "Holding", "RecordedAnswer", "Statement", "Witness", "combined", "statements"]

Holding = Literal["holds", "in other words", "partly", "does not hold", "not recorded"]
"""Whether something that is claimed is so.

`in other words`: the refusal or the change is as claimed, the words of the answer are others. `partly`: of
several calls or scenarios, some are as claimed.
"""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What the recorded product did at one call: its own answer, and the files that it changed."""

    text: str
    refused: bool
    error: str | None
    changes: Mapping[str, Entry | None]


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said of one call, and what the recorded product did there. `call` counts from 1."""

    call: int
    tool: str
    clause: Clause | None
    states_files: bool = True
    exact: bool = False
    answer: RecordedAnswer | None = None
    holding: Holding = "not recorded"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One scenario as evidence: a statement for each call that counts."""

    scenario_id: str
    title: str
    statements: tuple[Statement, ...]

    @property
    def holding(self) -> Holding:
        """Whether all that is said of the scenario is so."""
        return combined([statement.holding for statement in self.statements])


def combined(holdings: Sequence[Holding]) -> Holding:
    """Return what holds of a whole whose parts are these; one that is not recorded leaves it open."""
    if not holdings or "not recorded" in holdings:
        return "not recorded"
    first = holdings[0]
    return first if all(each == first for each in holdings) else "partly"


def statements(scenario: Scenario, shown: Shown, sources: Sequence[str]) -> tuple[Statement, ...]:
    """Return what is said of the scenario's calls: by the claim itself, else by its documented clauses.

    Of several documented clauses those count that rest on one of `sources`, if there are any. Empty where
    nothing is said, or the call does not exist.
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


class Witness:
    """Replays recordings of the default contract, each scenario once; close it to remove its workspaces."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._default = suite.contracts[suite.contracts.default]
        self._documented = suite.contracts[DOCUMENTED]
        self._adapter = RecordingAdapter(Recordings(suite.recordings_root), self._default.name)
        self._place = SitePool()
        self._replayed: dict[str, tuple[Scenario, Outcome]] = {}

    def scenario(self, scenario_id: str) -> Scenario:
        """Return one scenario. Raises UnknownScenarioError, or SuiteError with all that is wrong in it."""
        return self._replay(scenario_id)[0]

    def evidence(self, shown: Shown, sources: Sequence[str]) -> Evidence:
        """Judge what a claim with these sources says of a scenario."""
        scenario, outcome = self._replay(shown.scenario_id)
        said = statements(scenario, shown, sources)
        answers = self._answers(scenario, outcome)
        if answers is None:
            return Evidence(scenario.id, scenario.title, said)
        stated = {statement.call: _clause(statement, answers) for statement in said}
        judged = _said_only(scenario, stated)
        differences = compare(judged, outcome, self._documented, "text", self._suite.vocabulary).differences
        places = _places(scenario)
        return Evidence(
            scenario.id,
            scenario.title,
            tuple(
                replace(
                    statement,
                    answer=answers[statement.call - 1],
                    holding=_holding(statement, places[statement.call - 1], differences),
                )
                for statement in said
            ),
        )

    def answer(self, shown: Shown) -> Evidence:
        """Return what the product did at the call that counts, the last one unless it is named."""
        scenario, outcome = self._replay(shown.scenario_id)
        calls = list(scenario.calls())
        number = shown.call or len(calls)
        tool = calls[number - 1].tool
        answers = self._answers(scenario, outcome)
        answered = answers[number - 1] if answers is not None else None
        holding: Holding = "not recorded" if answered is None else "holds"
        return Evidence(
            scenario.id, scenario.title, (Statement(number, tool, None, answer=answered, holding=holding),)
        )

    def close(self) -> None:
        """Remove the workspaces."""
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _replay(self, scenario_id: str) -> tuple[Scenario, Outcome]:
        found = self._replayed.get(scenario_id)
        if found is None:
            scenario = self._suite.scenario(scenario_id, require_expect=False)
            found = scenario, replay(scenario, self._adapter.of(scenario), self._place)
            self._replayed[scenario_id] = found
        return found

    def _answers(self, scenario: Scenario, outcome: Outcome) -> list[RecordedAnswer] | None:
        """Return one answer per call, None where there is no recording of these calls."""
        if outcome.broken is not None:
            return None
        answers = []
        for step, happened in zip(scenario.steps, outcome.steps, strict=True):
            own = {
                path: entry
                for path, entry in happened.changes.items()
                if path not in happened.expected_world or happened.expected_world[path] != entry
            }
            calls = step.calls if isinstance(step, ParallelCalls) else (step,)
            for call, result in zip(calls, happened.results, strict=False):
                if isinstance(call, ToolCall):
                    answers.append(self._answer(call, result, own))
        return answers

    def _answer(
        self, call: ToolCall, result: ToolResult, changes: Mapping[str, Entry | None]
    ) -> RecordedAnswer:
        text = answer_of(result.text)
        error = self._suite.vocabulary.name_of(call.tool, text) if result.is_error else None
        return RecordedAnswer(text, result.is_error, error, changes)


def _places(scenario: Scenario) -> list[tuple[int, int | None]]:
    """Return for each call its step and its number there; None outside groups, where every finding is its own."""
    places: list[tuple[int, int | None]] = []
    for index, step in enumerate(scenario.steps):
        if isinstance(step, ToolCall):
            places.append((index, None))
        elif isinstance(step, ParallelCalls):
            places += [(index, number) for number in range(len(step.calls))]
    return places


def _clause(statement: Statement, answers: Sequence[RecordedAnswer]) -> Clause:
    """Return the clause to judge by. Files that a claim does not speak of are what they are."""
    clause = statement.clause or Clause()
    files = clause.files if statement.states_files else answers[statement.call - 1].changes
    return replace(clause, files=files, documented=clause.documented or "claim")


def _said_only(scenario: Scenario, stated: Mapping[int, Clause]) -> Scenario:
    """Return the scenario with these clauses as the only documented ones."""
    numbers = iter(range(1, len(_places(scenario)) + 1))

    def call_with(call: ToolCall) -> ToolCall:
        clause = stated.get(next(numbers))
        return replace(call, expect=Expectation(call.expect.recorded, clause))

    def steps() -> Iterator[Step]:
        for step in scenario.steps:
            match step:
                case ToolCall():
                    yield call_with(step)
                case ParallelCalls(calls=calls):
                    yield replace(step, calls=tuple(map(call_with, calls)))
                case _:
                    yield step

    return replace(scenario, steps=tuple(steps()))


def _holding(
    statement: Statement, place: tuple[int, int | None], differences: Sequence[Difference]
) -> Holding:
    step, number = place
    levels = {each.level for each in differences if each.step == step and number in (None, each.call)}
    if not levels:
        return "holds"
    clause = statement.clause or Clause()
    # What a Read says is all that it does; a refusal or a change can be right and be worded otherwise.
    acts = clause.error is not None or (statement.states_files and clause.files)
    return "in other words" if levels == {"text"} and acts and not statement.exact else "does not hold"
