"""From an outcome to the transcript that is kept of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.harm.partial_write import has_exited
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile
from readfirst.harness.suite.ownership import OWN
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall, calls_of
from readfirst.harness.suite.transcript import UNNAMED, RecordedResult, Transcript, TranscriptStep
from readfirst.harness.suite.unwrap_host_text import answer_of
from readfirst.harness.workspace.snapshot import applied


def transcribe(scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary) -> Transcript:
    """Return the transcript of a complete replay. An error without a name in the vocabulary is `unnamed`."""
    steps = []
    state = dict(outcome.before)
    for step, done in zip(scenario.steps, outcome.steps, strict=True):
        if isinstance(step, ToolCall | ParallelCalls):
            given = tuple(each for result in done.results for each in result.reminders)
            reminders = given if scenario.given.reminders else ()
            steps.append(replace(_step(step, done, state, vocabulary), reminders=reminders))
        state = applied(state, done.changes)
    return Transcript(tuple(steps))


def named(transcript: Transcript, vocabulary: Vocabulary) -> Transcript:
    """Return a transcript with the names that its errors have by now: a take may be older than the vocabulary."""
    return Transcript(
        tuple(
            replace(
                step,
                results=tuple(
                    _result(tool, ToolResult(result.raw, result.is_error), vocabulary)
                    if result.cut is None
                    else result
                    for tool, result in zip(step.tools, step.results, strict=True)
                ),
            )
            for step in transcript.steps
        )
    )


def _step(
    step: ToolCall | ParallelCalls, done: StepOutcome, before: Mapping[str, Entry], vocabulary: Vocabulary
) -> TranscriptStep:
    tools = tuple(call.tool for call in calls_of(step))
    results = tuple(
        _result(tool, result, vocabulary) for tool, result in zip(tools, done.results, strict=True)
    )
    changes: dict[str, Entry | None] = {}
    created: dict[str, int] = {}
    struck = {**before, **done.expected_world}  # with what world events did while the call was on its way
    own = own_changes(done, before)
    former = {path: entry for path, entry in struck.items() if entry is not None}
    for path, entry in own.items():
        mode = _mode_of(entry)
        if mode is not None and path not in former:
            created[path] = mode
        if not _is_implied(path, entry, own, before):
            changes[path] = _with_mode(entry, former.get(path), new=path not in former)
    if isinstance(step, ToolCall) and not step.paused and has_exited(step, done.results[0]):
        return TranscriptStep(tools, results)  # how far it came is a matter of luck
    if isinstance(step, ToolCall) and step.interrupted == "stopped" and results[0].is_error:
        return TranscriptStep(
            tools, results
        )  # a refused call states no files, though this one may have written
    return TranscriptStep(tools, results, changes, created, done.struck)


def own_changes(done: StepOutcome, before: Mapping[str, Entry]) -> dict[str, Entry | None]:
    """Return what the implementation changed itself; a file that was replaced counts, even by one with its bytes."""
    struck = {**before, **done.expected_world}
    return dict(_own(done, struck, before)) | parted(done, struck)


def _own(
    done: StepOutcome, struck: Mapping[str, Entry | None], before: Mapping[str, Entry]
) -> Iterator[tuple[str, Entry | None]]:
    """Yield what the product changed itself."""
    for path in sorted({*done.changes, *done.expected_world}):
        after = done.changes.get(path, before.get(path))
        if struck.get(path) != after:
            yield path, after


def parted(done: StepOutcome, struck: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """Return the files that were replaced by ones with the same bytes, and so lost or got other names (hard links)."""
    return {
        path: struck[path]
        for path, trace in done.traces.items()
        if trace.replaced and done.names_before.get(path) != done.names.get(path)
    }


def _is_implied(
    path: str, entry: Entry | None, own: Mapping[str, Entry | None], before: Mapping[str, Entry]
) -> bool:
    """Whether it is a new directory above a new path: every implementation makes those."""
    above = isinstance(entry, Directory) and path not in before
    return above and any(other.startswith(f"{path}/") for other in own)


def _with_mode(entry: Entry | None, former: Entry | None, *, new: bool) -> Entry | None:
    """Return the entry with its mode and ownership only where those of one that existed changed."""
    if isinstance(entry, RegularFile):
        same = new or entry.ownership == getattr(former, "ownership", None)
        entry = replace(entry, ownership=None if same else entry.ownership or OWN)
    if isinstance(entry, RegularFile | Directory) and (new or entry.mode == _mode_of(former)):
        return replace(entry, mode=None)
    return entry


def _mode_of(entry: Entry | None) -> int | None:
    return entry.mode if isinstance(entry, RegularFile | Directory) else None


def _result(tool: str, result: ToolResult, vocabulary: Vocabulary) -> RecordedResult:
    if not result.is_error:
        return RecordedResult.of(result.text, None)
    answer = answer_of(result.text)
    error = vocabulary.name_of(tool, answer)
    if error is None:
        return RecordedResult.of(result.text, UNNAMED)
    return RecordedResult.of(
        result.text, error, vocabulary.beginning(error, answer), vocabulary.ending(error, answer)
    )
