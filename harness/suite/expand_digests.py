"""Expand digests: a scenario with the recorded texts and files in full where its expectations keep digests of them.

A digest shows that a long text or file differs. To show where takes what was recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from readfirst.harness.suite.entry import Entry, FileDigest, RegularFile
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
)
from readfirst.harness.suite.transcript import Transcript, TranscriptStep

__all__ = ["expand_digests", "has_digests"]


def has_digests(scenario: Scenario) -> bool:
    """Whether an expectation keeps the digest of a text or file."""
    return any(
        any(map(_is_digest, (clause.text, *clause.reminders)))
        or any(isinstance(entry, FileDigest) for entry in clause.files.values())
        for step in scenario.steps
        if not isinstance(step, WorldEvent | SessionEvent)
        for part in (*(step.calls if isinstance(step, ParallelCalls) else ()), step)
        for clause in part.expect.clauses()
    )


def expand_digests(scenario: Scenario, transcript: Transcript) -> Scenario:
    """Return the scenario in which every digest that the transcript agrees with is what was recorded."""
    rows = iter(transcript.steps)
    steps = [
        step if isinstance(step, WorldEvent | SessionEvent) else _step(step, next(rows, None))
        for step in scenario.steps
    ]
    return replace(scenario, steps=tuple(steps))


def _step(step: ToolCall | ParallelCalls, row: TranscriptStep | None) -> Step:
    if row is None:
        return step
    if isinstance(step, ToolCall):
        return replace(step, expect=_expectation(step.expect, row, [result.text for result in row.results]))
    calls = tuple(
        replace(call, expect=_expectation(call.expect, row, [result.text]))
        for call, result in zip(step.calls, row.results, strict=False)
    )
    return replace(step, calls=calls, expect=_expectation(step.expect, row, []))


def _expectation(expect: Expectation, row: TranscriptStep, texts: Sequence[str]) -> Expectation:
    recorded = _clause(expect.recorded, row, texts)
    same = expect.documented is expect.recorded
    return Expectation(recorded, recorded if same else _clause(expect.documented, row, texts))


def _clause(clause: Clause | None, row: TranscriptStep, texts: Sequence[str]) -> Clause | None:
    if clause is None:
        return None
    files = {path: _entry(entry, row.changes.get(path)) for path, entry in clause.files.items()}
    text = clause.text
    if isinstance(text, TextDigest) and _is_digest(text):
        text = next((each for each in texts if _agrees(text, each)), text)
    reminders = [
        next((recorded for recorded in row.reminders if _agrees(each, recorded)), each)
        for each in clause.reminders
    ]
    return replace(clause, text=text, files=files, reminders=tuple(reminders))


def _agrees(expected: str | TextDigest, text: str) -> bool:
    """Whether a text is what is expected, also in its beginning, end and lines where a digest has these, too."""
    if isinstance(expected, str):
        return expected == text
    return (
        expected.sha256 in (None, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        and expected.lines in (None, text.count("\n") + 1)
        and text.startswith(expected.starts or "")
        and text.endswith(expected.ends or "")
    )


def _is_digest(text: str | TextDigest | None) -> bool:
    # A digest of the beginning alone says that the rest does not matter.
    return isinstance(text, TextDigest) and text.sha256 is not None


def _entry(expected: Entry | None, recorded: Entry | None) -> Entry | None:
    match expected, recorded:
        case FileDigest(sha256, size, mode), RegularFile(data=data) if (
            len(data) == size and hashlib.sha256(data).hexdigest() == sha256
        ):
            return RegularFile(data, mode=mode)
        case _:
            return expected
