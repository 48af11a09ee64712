"""Unrecordable: what the product did to files that a recording cannot say, so that none leaves it out in silence."""

from __future__ import annotations

from collections.abc import Iterator

from readfirst.harness.compare.untouched_files import trace_differences
from readfirst.harness.record.transcribe import parted
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.entry import Entry
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall


def unrecordable(scenario: Scenario, outcome: Outcome) -> str:
    """Return the first file that was touched, or replaced by a file with the same bytes, by a call that must not.

    That is a Read, a call that was refused, or one that names another file; or the first path that changed after the
    last step. Empty where there is none.
    """
    for number, what in _unrecordable(scenario, outcome):
        return f"step {number}: the {what} changed, which a recording cannot say"
    for path in (*outcome.afterwards.changes, *outcome.afterwards.traces):
        return f"{path} changed after the last step, which a recording cannot say"
    return ""


def _unrecordable(scenario: Scenario, outcome: Outcome) -> Iterator[tuple[int, str]]:
    state: dict[str, Entry | None] = dict(outcome.before)
    for number, (step, done) in enumerate(zip(scenario.steps, outcome.steps, strict=False), 1):
        if isinstance(step, ToolCall | ParallelCalls) and done.traces:
            calls = step.calls if isinstance(step, ParallelCalls) else (step,)
            allowed = [call for call, result in zip(calls, done.results, strict=True) if not result.is_error]
            writing = [call for call in allowed if call.tool != "Read"]
            told = parted(done, {**state, **done.expected_world})
            for found in trace_differences(told, writing, state, done.names, done.traces):
                yield number, found.what
        state.update(done.changes)
