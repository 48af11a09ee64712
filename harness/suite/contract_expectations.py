"""The expectations of a contract in a scenario, taken from its recording, and the full contents of digests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
    calls_of,
)
from readfirst.harness.suite.transcript import (
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract
    from readfirst.harness.suite.suite import Suite


def with_expectations_of(scenario: Scenario, contract: str, transcript: Transcript | None) -> Scenario:
    """Return the scenario with the expectations of the contract `contract`, taken from its transcript.

    Without a transcript, the calls have no expectations. Statements of the documents are kept. If the scenario file
    states only the beginning of a text, or no mode of a new file, the rest of the text and the mode are not compared
    for this contract either.
    """
    return replace(_by_row(scenario, transcript, _expecting), contract=contract)


def states_recorded_answers(scenario: Scenario, contract: str, recording: Recording) -> bool:
    """Whether the expectations in a scenario equal the recorded answers of `contract` to the same steps."""
    transcript = recording.transcripts.get(contract)
    if transcript is None or recording.inputs != scenario.inputs:
        return False
    recorded = with_expectations_of(scenario, contract, transcript)
    stated, answers = (
        [_values_of(part.expect.recorded) for _, part in each.parts()] for each in (scenario, recorded)
    )
    return stated == answers


def _values_of(clause: Clause | None) -> object:
    return None if clause is None else (clause.error, clause.text, clause.files, clause.reminders)


def _by_row(
    scenario: Scenario,
    transcript: Transcript | None,
    change: Callable[[ToolCall | ParallelCalls, TranscriptStep | None], Step],
) -> Scenario:
    rows = iter(transcript.steps if transcript is not None else ())
    steps = (
        step if isinstance(step, WorldEvent | SessionEvent) else change(step, next(rows, None))
        for step in scenario.steps
    )
    return replace(scenario, steps=tuple(steps))


def _expecting(step: ToolCall | ParallelCalls, row: TranscriptStep | None) -> Step:
    stated = step.expect.recorded.files if step.expect.recorded is not None else {}
    files = {} if row is None else {**row.changes, **_pinned_modes(row, stated)}
    results = (None,) * len(calls_of(step)) if row is None else row.results
    reminders = () if row is None else row.reminders
    if isinstance(step, ToolCall):
        return replace(step, expect=_expectation(step, results[0], files, reminders))
    calls = tuple(
        replace(call, expect=_expectation(call, result))
        for call, result in zip(step.calls, results, strict=True)
    )
    return replace(step, calls=calls, expect=_expectation(step, None, files, reminders))


def _expectation(
    step: ToolCall | ParallelCalls,
    result: RecordedResult | None,
    files: Mapping[str, Entry | None] | None = None,
    reminders: tuple[str, ...] = (),
) -> Expectation:
    """Return the expectation with the recorded answer, at the position of the file's clause, otherwise of the step."""
    stated = step.expect.recorded
    recorded = None
    if result is not None or files or reminders:
        recorded = Clause(
            error=None if result is None else result.error,
            text=None if result is None else _text(result, stated),
            files=files or {},
            reminders=reminders,
            position=step.position if stated is None else stated.position,
        )
    return Expectation(recorded, step.expect.documented)


def _text(result: RecordedResult, stated: Clause | None) -> str | TextDigest:
    """Return the recorded text. If the file states only the beginning of the same refusal, return this beginning."""
    if stated is not None and stated.error == result.error:
        match stated.text:
            case TextDigest(sha256=None, lines=None, ends=None, starts=str() as starts):
                if result.text.startswith(starts):
                    return stated.text
            case _:
                pass
    return result.text if result.cut is None else TextDigest(starts=result.text)


def _pinned_modes(row: TranscriptStep, stated: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """Return the new entries for which the file states a mode, with the recorded mode. Others are not compared."""
    return {
        path: _with_mode(row.changes.get(path, Directory()), row.created[path])
        for path, entry in stated.items()
        if getattr(entry, "mode", None) is not None and path in row.created
    }


def _with_mode(entry: Entry | None, mode: int) -> Entry | None:
    return replace(entry, mode=mode) if isinstance(entry, RegularFile | Directory) else entry


def has_digests(scenario: Scenario) -> bool:
    """Whether an expectation of the scenario contains a digest instead of a text or a file."""
    return any(
        any(map(_is_digest, (clause.text, *clause.reminders)))
        or any(isinstance(entry, FileDigest) for entry in clause.files.values())
        for _, part in scenario.parts()
        for clause in part.expect.clauses()
    )


def expand_digests(scenario: Scenario, transcript: Transcript) -> Scenario:
    """Return the scenario with the recorded text or content in place of each digest that matches it."""
    return _by_row(scenario, transcript, _step_in_full)


def _step_in_full(step: ToolCall | ParallelCalls, row: TranscriptStep | None) -> Step:
    if row is None:
        return step
    if isinstance(step, ToolCall):
        return replace(
            step, expect=_expectation_in_full(step.expect, row, [result.text for result in row.results])
        )
    calls = tuple(
        replace(call, expect=_expectation_in_full(call.expect, row, [result.text]))
        for call, result in zip(step.calls, row.results, strict=False)
    )
    return replace(step, calls=calls, expect=_expectation_in_full(step.expect, row, []))


def _expectation_in_full(expect: Expectation, row: TranscriptStep, texts: Sequence[str]) -> Expectation:
    recorded = _clause_in_full(expect.recorded, row, texts)
    same = expect.documented is expect.recorded
    return Expectation(recorded, recorded if same else _clause_in_full(expect.documented, row, texts))


def _clause_in_full(clause: Clause | None, row: TranscriptStep, texts: Sequence[str]) -> Clause | None:
    if clause is None:
        return None
    files = {path: _entry_in_full(entry, row.changes.get(path)) for path, entry in clause.files.items()}
    text = clause.text
    if isinstance(text, TextDigest) and _is_digest(text):
        text = next((each for each in texts if _agrees(text, each)), text)
    reminders = [
        next((recorded for recorded in row.reminders if _agrees(each, recorded)), each)
        for each in clause.reminders
    ]
    return replace(clause, text=text, files=files, reminders=tuple(reminders))


def _agrees(expected: str | TextDigest, text: str) -> bool:
    """Whether a text matches the expected text, or every stated part of the digest."""
    return expected == text if isinstance(expected, str) else not any(expected.differences(text))


def _is_digest(text: str | TextDigest | None) -> bool:
    # A digest of only the beginning means that the rest is ignored.
    return isinstance(text, TextDigest) and text.sha256 is not None


def _entry_in_full(expected: Entry | None, recorded: Entry | None) -> Entry | None:
    match expected, recorded:
        case FileDigest(), RegularFile(data=data) if expected.fits(data):
            return RegularFile(data, mode=expected.mode)
        case _:
            return expected


def is_by_hand(suite: Suite, scenario: Scenario, contract: Contract) -> bool:
    """Whether a person wrote the expectations of a contract: they rest on neither a recording nor a document."""
    if contract.name != scenario.contract or scenario.invariant or suite.part(scenario.id).bundled:
        return False
    try:
        recording = suite.recordings.recording(scenario.id)
    except RecordingError:
        return not contract.recorded  # else it was recorded, and the recording is damaged
    if contract.recorded:
        return contract.name not in recording.transcripts
    if contract.extends and states_recorded_answers(scenario, contract.extends.name, recording):
        return False
    clauses = [call.expect.recorded for call in scenario.calls()]
    return any(clause is not None and not contract.is_documented_by(clause) for clause in clauses)
