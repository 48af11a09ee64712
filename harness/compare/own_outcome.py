"""Compute the outcome that a contract would have in a scenario, to exempt harm that the contract does as well."""

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
    """Return the text that a clause (expected result) states for an answer, otherwise the recorded text. Empty if no
    text is known, or if only one of clause and recorded answer is a refusal.
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
    """Return the expected reminders whose full text is known. Reminders that are stated as a digest are omitted."""
    if clause is None or not (scenario.given.reminders and contract.recorded):
        return ()
    return tuple(each for each in clause.reminders if isinstance(each, str))


def own_outcome(scenario: Scenario, contract: Contract, fallback: Outcome | None = None) -> Outcome:
    """Return the outcome that a replay would have on an implementation with exactly the behaviour of a contract. The
    contents that the contract states only as digests are taken from `fallback`, another implementation's outcome.
    """
    steps = tuple(_transcript_steps(scenario, contract, fallback or Outcome(scenario.id, ())))
    return recorded_outcome(scenario, Transcript(steps))


def own_harms(scenario: Scenario, contract: Contract, fallback: Outcome) -> set[tuple[int, int, Kind, str]]:
    """Return the harms that the contract does: step and call (from 0), kind, path. See `own_outcome` for `fallback`."""
    harms = harms_of(scenario, own_outcome(scenario, contract, fallback))
    return {(harm.step, harm.call, harm.kind, harm.path) for harm in harms}


def _transcript_steps(scenario: Scenario, contract: Contract, fallback: Outcome) -> Iterator[TranscriptStep]:
    for index, step in enumerate(scenario.steps):
        if not isinstance(step, ToolCall | ParallelCalls):
            continue
        happened = fallback.steps[index] if index < len(fallback.steps) else StepOutcome()
        calls = calls_of(step)
        results = []
        for number, call in enumerate(calls):
            clause = effects_clause_for(scenario, call.expect, contract)
            if clause is not None:
                results.append(RecordedResult(text_of(clause, call.expect), clause.error))
            elif number < len(happened.results):
                result = happened.results[number]
                results.append(RecordedResult(result.text, "unnamed" if result.is_error else None))
            else:
                results.append(RecordedResult("", "unnamed"))
        clause = effects_clause_for(scenario, step.expect, contract)
        changes = {} if clause is None else _without_digests(clause.files, happened.changes)
        reminders = reminders_of(scenario, contract, clause)
        is_executed = clause is None or clause.error is None or clause.error in EXECUTION_ERRORS
        struck = isinstance(step, ToolCall) and bool(step.during) and is_executed
        yield TranscriptStep(
            tuple(call.tool for call in calls), tuple(results), changes, {}, struck, reminders
        )


def _without_digests(
    files: Mapping[str, Entry | None], contents: Mapping[str, Entry | None]
) -> dict[str, Entry | None]:
    """Return `files` with digests replaced by the contents at the same paths in `contents`, if the digests match."""
    result = dict(files)
    for path, entry in files.items():
        data = getattr(contents.get(path), "data", None)
        if isinstance(entry, FileDigest) and data is not None and entry.fits(data):
            result[path] = contents[path]
    return result
