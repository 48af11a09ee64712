"""Replace expectations by the recorded answers of a contract, and digests by the full recorded contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

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
    """Return the scenario with the recorded answers of `contract` as expectations. Without `transcript`, the calls
    have no recorded expectations. If the scenario file states only the beginning of an answer, only this beginning is
    compared. The mode of a new file is compared only if the scenario file states a mode.
    """
    return replace(_replace_expectations(scenario, transcript, _recorded_expectation), contract=contract)


def states_recorded_answers(scenario: Scenario, contract: str, recording: Recording) -> bool:
    """Whether the scenario states the recorded answers of `contract`. False if the scenario has changed since then."""
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


Part = ToolCall | ParallelCalls
"""A call, or a group of parallel calls. Both can have an expectation."""
_MakeExpectation = Callable[[Part, RecordedResult | None, TranscriptStep | None], Expectation]
"""Creates the new expectation of a call or group from the call or group, its recorded result (or None), and the step in
the transcript (or None). A group has no recorded result; a call in a group has no step.
"""


def _replace_expectations(
    scenario: Scenario, transcript: Transcript | None, expectation: _MakeExpectation
) -> Scenario:
    """Return the scenario with each expectation replaced by the result of the function `expectation`."""
    rows = iter(transcript.steps if transcript is not None else ())

    def replace_in_step(step: Step) -> Step:
        if isinstance(step, WorldEvent | SessionEvent):
            return step
        row = next(rows, None)
        results = (None,) * len(calls_of(step)) if row is None else row.results
        if isinstance(step, ToolCall):
            return replace(step, expect=expectation(step, results[0], row))
        calls = tuple(
            replace(call, expect=expectation(call, result, None))
            for call, result in zip(step.calls, results, strict=True)
        )
        return replace(step, calls=calls, expect=expectation(step, None, row))

    return replace(scenario, steps=tuple(map(replace_in_step, scenario.steps)))


def _recorded_expectation(
    part: Part, result: RecordedResult | None, row: TranscriptStep | None
) -> Expectation:
    """Return the recorded answer as an expectation, with the position that the stated expectation (or the call) has."""
    stated = part.expect.recorded
    files: dict[str, Entry | None] = {}
    if row is not None:
        files = {**row.changes, **_pinned_modes(row, stated.files if stated is not None else {})}
    reminders = () if row is None else row.reminders
    recorded = None
    if result is not None or files or reminders:
        recorded = Clause(
            error=None if result is None else result.error,
            text=None if result is None else _text(result, stated),
            files=files,
            reminders=reminders,
            position=part.position if stated is None else stated.position,
        )
    return Expectation(recorded, part.expect.documented)


def _text(result: RecordedResult, stated: Clause | None) -> str | TextDigest:
    """Return the recorded text of an answer, or only its beginning if the scenario file states only the beginning."""
    if stated is not None and stated.error == result.error:
        match stated.text:
            case TextDigest(None, None, str() as starts, None) if result.text.startswith(starts):
                return stated.text
    return result.text if result.cut is None else TextDigest(starts=result.text)


def _pinned_modes(row: TranscriptStep, stated: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """Return the created files and directories whose mode the scenario file states, each with its recorded mode."""
    entries: dict[str, Entry | None] = {}
    for path, entry in stated.items():
        if getattr(entry, "mode", None) is not None and path in row.created:
            new = row.changes.get(path, Directory())
            if isinstance(new, RegularFile | Directory):
                new = replace(new, mode=row.created[path])
            entries[path] = new
    return entries


def has_digests(scenario: Scenario) -> bool:
    """Whether the expectations of the scenario contain a digest in place of a text or of a file's content."""
    return any(
        any(map(_is_digest, (clause.text, *clause.reminders)))
        or any(isinstance(entry, FileDigest) for entry in clause.files.values())
        for _, part in scenario.parts()
        for clause in part.expect.clauses()
    )


def expand_digests(scenario: Scenario, transcript: Transcript) -> Scenario:
    """Replace each digest in the expectations by the recorded text or content that matches the digest, if any."""
    return _replace_expectations(scenario, transcript, _expanded_expectation)


def _expanded_expectation(
    part: Part, result: RecordedResult | None, row: TranscriptStep | None
) -> Expectation:
    expect = part.expect
    recorded = _expand_clause(expect.recorded, result, row)
    is_same = expect.documented is expect.recorded
    return Expectation(recorded, recorded if is_same else _expand_clause(expect.documented, result, row))


def _expand_clause(
    clause: Clause | None, result: RecordedResult | None, row: TranscriptStep | None
) -> Clause | None:
    if clause is None:
        return None
    changes, reminders = ({}, ()) if row is None else (row.changes, row.reminders)
    text = clause.text
    if text is not None and result is not None:
        text = _expand_text(text, [result.text])
    return replace(
        clause,
        text=text,
        files={path: _expand_entry(entry, changes.get(path)) for path, entry in clause.files.items()},
        reminders=tuple(_expand_text(reminder, reminders) for reminder in clause.reminders),
    )


def _expand_text(expected: str | TextDigest, recorded: Sequence[str]) -> str | TextDigest:
    """Return the first recorded text that matches the digest `expected`. Otherwise return `expected`."""
    if not _is_digest(expected):
        return expected
    return next((text for text in recorded if not any(expected.differences(text))), expected)


def _is_digest(text: str | TextDigest | None) -> TypeGuard[TextDigest]:
    # A digest of only the beginning means that the rest is ignored.
    return isinstance(text, TextDigest) and text.sha256 is not None


def _expand_entry(expected: Entry | None, recorded: Entry | None) -> Entry | None:
    match expected, recorded:
        case FileDigest(), RegularFile(data=data) if expected.fits(data):
            return RegularFile(data, mode=expected.mode)
        case _:
            return expected


def is_by_hand(suite: Suite, scenario: Scenario, contract: Contract) -> bool:
    """Whether a user wrote the expectations of a contract by hand. False if they are from a recording or a document."""
    if (
        contract.name != scenario.contract
        or scenario.invariant
        or suite.suite_containing(scenario.id).bundled
    ):
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
    named = [(clause.documented or "").partition(", ")[0] for clause in clauses if clause is not None]
    return not {*named} <= {*contract.documents}
