"""The answers of one side of a comparison to each call, and the scenario's files before each step."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from readfirst.harness.suite.event_kinds import apply_event, with_known_mode
from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile
from readfirst.harness.suite.repeated_text import texts_in
from readfirst.harness.suite.scenario import CallIndex, Clause, Scenario, Step, ToolCall, WorldEvent, calls_of
from readfirst.harness.suite.transcript import Transcript, TranscriptStep


def step_answers(index: int, step: Step, row: TranscriptStep) -> dict[CallIndex, Clause]:
    """Return the recorded answers of one step, by the position of the call. The changed files of parallel calls are in
    an additional item with the position of the group.
    """
    answers: dict[CallIndex, Clause] = {
        (index, number): Clause(error=result.error, text=result.answer)
        for number, result in enumerate(row.results)
    }
    files = dict(row.changes)
    for path, mode in row.created.items():
        entry = files.get(path, Directory())
        if isinstance(entry, RegularFile | Directory):
            files[path] = replace(entry, mode=mode)
    location: CallIndex = (index, 0) if isinstance(step, ToolCall) else (index, None)
    answers[location] = replace(answers.get(location, Clause()), files=files, reminders=row.reminders)
    return answers


def recorded_answers(scenario: Scenario, transcript: Transcript) -> dict[CallIndex, Clause]:
    """Return the recorded answers of all steps, by the position of the call, as in `step_answers`."""
    answers: dict[CallIndex, Clause] = {}
    rows = iter(transcript.steps)
    for index, step in enumerate(scenario.steps):
        if calls_of(step) and (row := next(rows, None)) is not None:
            answers |= step_answers(index, step, row)
    return answers


_MAX_INDEXED_BYTES = 65_536
"""Number of bytes at the beginning of a file that are split into lines."""
_MAX_SEARCHES = 16
"""Number of lookups in KnownLines that search the texts. Further lookups use an index."""


def states_before_steps(
    scenario: Scenario, answers: Mapping[CallIndex, Clause]
) -> Sequence[Mapping[str, Entry | None]]:
    """Return the files of the workspace before each step, computed from the scenario and the `answers` to its calls.
    Paths whose state is unknown are missing.
    """
    state: dict[str, Entry | None] = {}
    for path, entry in scenario.given.files.items():
        given = scenario.given.files.get(entry.to) if isinstance(entry, HardLink) else entry
        state[path] = with_known_mode(given, None)
    states = []
    for index, step in enumerate(scenario.steps):
        states.append(dict(state))
        match step:
            case WorldEvent():
                apply_event(step, state)
            case ToolCall(during=during):
                for event in during:
                    apply_event(event, state)
        for number in (None, 0):
            answer = answers.get((index, number))
            if answer is not None:
                state |= {
                    path: with_kept_mode(entry, state.get(path)) for path, entry in answer.files.items()
                }
    return states


def with_modes(scenario: Scenario, answers: Mapping[CallIndex, Clause]) -> dict[CallIndex, Clause]:
    """Return the answers with a mode for each changed file: the stated mode, otherwise the mode before the call."""
    states = states_before_steps(scenario, answers)
    return {
        location: replace(
            answer,
            files={
                path: with_kept_mode(entry, states[location[0]].get(path))
                for path, entry in answer.files.items()
            },
        )
        for location, answer in answers.items()
    }


def with_kept_mode(entry: Entry | None, former: Entry | None) -> Entry | None:
    """Return a file or directory with its stated mode, otherwise with the mode of `former`, the earlier entry."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    return replace(entry, mode=former.mode) if isinstance(former, type(entry)) else entry


class KnownLines(Container[str]):
    """The stripped lines of all files, events and arguments of a scenario, to recognise lines of files in answers."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._lookups = 0

    def __contains__(self, line: object) -> bool:
        """Whether a text of the scenario contains the line `line`."""
        self._lookups += 1
        if self._lookups <= _MAX_SEARCHES and not any(str(line) in text for text in self._scenario_texts):
            return False
        return line in self._line_index

    @cached_property
    def _scenario_texts(self) -> Sequence[str]:
        texts = [text for call in self._scenario.calls() for text in texts_in(call.arguments)]
        events = self._scenario.events()
        entries = (*self._scenario.given.files.values(), *(event.entry for event in events))
        files = (entry.data[:_MAX_INDEXED_BYTES] for entry in entries if isinstance(entry, RegularFile))
        return [*texts, *map(_decode_text, files)]

    @cached_property
    def _line_index(self) -> frozenset[str]:
        # Many lines of a large file are equal.
        lines = {line for text in self._scenario_texts for line in text.splitlines()}
        return frozenset(map(str.strip, lines)) - {""}


@lru_cache(maxsize=256)
def _decode_text(data: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
