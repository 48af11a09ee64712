"""Convert the outcome of a replay to a transcript, for recordings and for the JSON lines of a run."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.harm.partial_write import has_exited
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile
from readfirst.harness.suite.ownership import DEFAULT_OWNERSHIP
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall, calls_of
from readfirst.harness.suite.transcript import UNNAMED, RecordedResult, Transcript, TranscriptStep
from readfirst.harness.suite.unwrap_host_text import answer_of
from readfirst.harness.workspace.snapshot import apply_changes


def transcribe(scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary) -> Transcript:
    """Return the transcript of a complete replay. An error with an unknown message is named `unnamed`."""
    return Transcript(tuple(step for _, step in _transcribe_steps(scenario, outcome, vocabulary)))


def transcribe_answers(
    scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary, steps: Container[int]
) -> dict[int, TranscriptStep]:
    """Return the answers of `steps` (indexes from 0) in the form of a recording. File changes after the end of the last
    step are added to the last step.
    """
    later = outcome.afterwards.changes
    if later and outcome.steps:
        *others, last = outcome.steps
        outcome = replace(outcome, steps=(*others, replace(last, changes={**last.changes, **later})))
    return {index: step for index, step in _transcribe_steps(scenario, outcome, vocabulary) if index in steps}


def _transcribe_steps(
    scenario: Scenario, outcome: Outcome, vocabulary: Vocabulary
) -> Iterator[tuple[int, TranscriptStep]]:
    """Yield each step that contains calls in the form of a recording, with the index of the step."""
    state = dict(outcome.before)
    for index, (step, done) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        if isinstance(step, ToolCall | ParallelCalls):
            shown = tuple(reminder for result in done.results for reminder in result.reminders)
            reminders = shown if scenario.given.reminders else ()
            yield index, replace(_transcribe_step(step, done, state, vocabulary), reminders=reminders)
        state = apply_changes(state, done.changes)


def with_current_error_names(transcript: Transcript, vocabulary: Vocabulary) -> Transcript:
    """Return a transcript with the error names of `vocabulary`, which may have changed since the replay."""
    return Transcript(
        tuple(
            replace(
                step,
                results=tuple(
                    _transcribe_result(tool, ToolResult(result.raw, result.is_error), vocabulary)
                    if result.cut is None
                    else result
                    for tool, result in zip(step.tools, step.results, strict=True)
                ),
            )
            for step in transcript.steps
        )
    )


def _transcribe_step(
    step: ToolCall | ParallelCalls, done: StepOutcome, before: Mapping[str, Entry], vocabulary: Vocabulary
) -> TranscriptStep:
    tools = tuple(call.tool for call in calls_of(step))
    results = tuple(
        _transcribe_result(tool, result, vocabulary) for tool, result in zip(tools, done.results, strict=True)
    )
    changes: dict[str, Entry | None] = {}
    created: dict[str, int] = {}
    world = {**before, **done.expected_world}  # including world events during the call
    changed = own_changes(done, before)
    former = {path: entry for path, entry in world.items() if entry is not None}
    for path, entry in changed.items():
        mode = _mode_of(entry)
        if mode is not None and path not in former:
            created[path] = mode
        if not _is_implied(path, entry, changed, before):
            changes[path] = _with_mode(entry, former.get(path), new=path not in former)
    if isinstance(step, ToolCall):
        # The progress before an exit is random. A stopped call may write a file and be refused.
        exits = not step.paused and has_exited(step, done.results[0])
        if exits or (step.interrupted == "stopped" and results[0].is_error):
            return TranscriptStep(tools, results)
    return TranscriptStep(tools, results, changes, created, done.interfered)


def own_changes(done: StepOutcome, before: Mapping[str, Entry]) -> dict[str, Entry | None]:
    """Return the paths that the implementation changed, or replaced with the same bytes, with their new entries."""
    world = {**before, **done.expected_world}
    paths = sorted({*done.changes, *done.expected_world})
    entries = {path: done.changes.get(path, before.get(path)) for path in paths}
    changed = {path: entry for path, entry in entries.items() if entry != world.get(path)}
    return changed | files_with_changed_links(done, world)


def files_with_changed_links(done: StepOutcome, world: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """Return the files that lost a hard link when a file with the same bytes replaced them. `world`: earlier files."""
    return {
        path: world[path]
        for path, trace in done.traces.items()
        if trace.replaced and done.names_before.get(path) != done.names.get(path)
    }


def _is_implied(
    path: str, entry: Entry | None, changes: Mapping[str, Entry | None], before: Mapping[str, Entry]
) -> bool:
    """Whether a path is a new directory above a new path. Such a directory is not recorded."""
    is_new_directory = isinstance(entry, Directory) and path not in before
    return is_new_directory and any(other.startswith(f"{path}/") for other in changes)


def _with_mode(entry: Entry | None, previous: Entry | None, *, new: bool) -> Entry | None:
    """Return a file or directory without mode and ownership if it is `new`, or if they did not change."""
    if isinstance(entry, RegularFile):
        unchanged = new or entry.ownership == getattr(previous, "ownership", None)
        entry = replace(entry, ownership=None if unchanged else entry.ownership or DEFAULT_OWNERSHIP)
    if isinstance(entry, RegularFile | Directory) and (new or entry.mode == _mode_of(previous)):
        return replace(entry, mode=None)
    return entry


def _mode_of(entry: Entry | None) -> int | None:
    return entry.mode if isinstance(entry, RegularFile | Directory) else None


def _transcribe_result(tool: str, result: ToolResult, vocabulary: Vocabulary) -> RecordedResult:
    if not result.is_error:
        return RecordedResult.of(result.text, None)
    answer = answer_of(result.text)
    error = result.error or vocabulary.name_of(tool, answer)
    if error is None or error not in vocabulary:
        return RecordedResult.of(result.text, error or UNNAMED)
    return RecordedResult.of(
        result.text,
        error,
        vocabulary.text_before_data(error, answer),
        vocabulary.text_after_data(error, answer),
    )
