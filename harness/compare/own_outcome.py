"""Compute the outcome of a contract in a scenario from its clauses, without a disk."""

from collections.abc import Iterator, Mapping

from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.suite.contracts import Contract, effects_clause_for
from readfirst.harness.suite.file_entry import Entry, FileDigest
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.scenario import (
    EXECUTION_ERRORS,
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    TextDigest,
    ToolCall,
    calls_of,
)
from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep


def text_of(clause: Clause, expectation: Expectation) -> str:
    """Return the text of the answer that a clause states. If the clause states no text, return the recorded text,
    provided that the clause and the recording both refuse the call or both answer it. Empty if no text is known.
    """
    text = clause.text
    recorded = expectation.recorded
    if text is None and recorded is not None and (recorded.error is None) == (clause.error is None):
        text = recorded.text
    match text:
        case TextDigest(starts=starts, ends=ends):
            return "\n…\n".join(filter(None, (starts, ends)))
        case _:
            return text or ""


def reminders_of(scenario: Scenario, contract: Contract, clause: Clause | None) -> tuple[str, ...]:
    """Return the expected reminders with a known text. Reminders with only a known digest are omitted."""
    if clause is None or not (scenario.given.reminders and contract.recorded):
        return ()
    return tuple(each for each in clause.reminders if isinstance(each, str))


def own_outcome(scenario: Scenario, contract: Contract, beside: Outcome | None = None) -> Outcome:
    """Return the outcome that a replay on an implementation with exactly the behaviour of a contract would have.

    `beside` is another outcome of the scenario. It provides contents that the contract does not state, or states only
    as a digest.
    """
    rows = tuple(_rows(scenario, contract, beside or Outcome(scenario.id, ())))
    return recorded_outcome(scenario, Transcript(rows))


def own_harms(scenario: Scenario, contract: Contract, beside: Outcome) -> set[tuple[int, int, Kind, str]]:
    """Return the harms that the behaviour of the contract does in a scenario: for each harm its step and call (from
    0), kind and path. `beside` is another outcome of the scenario, for contents that the contract does not state.
    """
    harms = harms_of(scenario, own_outcome(scenario, contract, beside))
    return {(each.step, each.call, each.kind, each.path) for each in harms}


def _rows(scenario: Scenario, contract: Contract, beside: Outcome) -> Iterator[TranscriptStep]:
    for index, step in enumerate(scenario.steps):
        if not isinstance(step, ToolCall | ParallelCalls):
            continue
        happened = beside.steps[index] if index < len(beside.steps) else StepOutcome()
        calls = calls_of(step)
        results = []
        for number, call in enumerate(calls):
            clause = effects_clause_for(scenario, call.expect, contract)
            if clause is not None:
                results.append(RecordedResult(text_of(clause, call.expect), clause.error))
            elif number < len(happened.results):
                said = happened.results[number]
                results.append(RecordedResult(said.text, "unnamed" if said.is_error else None))
            else:
                results.append(RecordedResult("", "unnamed"))
        whole = effects_clause_for(scenario, step.expect, contract)
        changes = {} if whole is None else _in_full(whole.files, happened.changes)
        reminders = reminders_of(scenario, contract, whole)
        is_executed = whole is None or whole.error is None or whole.error in EXECUTION_ERRORS
        struck = isinstance(step, ToolCall) and bool(step.during) and is_executed
        yield TranscriptStep(
            tuple(call.tool for call in calls), tuple(results), changes, {}, struck, reminders
        )


def _in_full(
    files: Mapping[str, Entry | None], changed: Mapping[str, Entry | None]
) -> dict[str, Entry | None]:
    def whole(path: str, entry: Entry | None) -> Entry | None:
        other = changed.get(path)
        data = getattr(other, "data", None)
        return other if isinstance(entry, FileDigest) and data is not None and entry.fits(data) else entry

    return {path: whole(path, entry) for path, entry in files.items()}
