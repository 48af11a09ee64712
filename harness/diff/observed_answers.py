"""Answers of one side of a comparison at each call, and the state of the scenario's files before each step."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from readfirst.harness.compare.verdict import Difference
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.event_kinds import imagine, with_known_mode
from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile
from readfirst.harness.suite.repeated_text import texts_in
from readfirst.harness.suite.scenario import (
    CallIndex,
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    TextDigest,
    ToolCall,
    WorldEvent,
    parts_of,
)
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.suite.unwrap_host_text import answer_of

GROUP = "parallel calls"
"""Used instead of a tool name for a whole group of parallel calls."""


@dataclass(frozen=True, slots=True)
class ReportedEntry:
    """The state of a path in the text of a run's report. `what` is `file`, `path` or `mode`."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one side at one call. `error` is the name of the refusal, None if it has no name.

    `text` is None if it is not known. `files` are the paths that the step changes, with their new state.
    `reminders` are the reminders of the step.
    """

    refused: bool = False
    error: str | None = None
    text: str | TextDigest | None = None
    files: Mapping[str, Entry | ReportedEntry | None] = field(default_factory=dict)
    reminders: tuple[str | TextDigest, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a scenario, or a whole group of calls (without `call`), and its expectation."""

    place: CallIndex
    tool: str
    expect: Expectation
    call: ToolCall | None = None


def asked(scenario: Scenario) -> Iterator[Asked]:
    """Yield every call of a scenario in order, and each group after its calls."""
    for index, step in enumerate(scenario.steps):
        for number, part in enumerate(parts_of(step)):
            if isinstance(part, ToolCall):
                yield Asked((index, number), part.tool, part.expect, part)
            else:
                yield Asked((index, None), GROUP, part.expect)


def clause_answer(clause: Clause) -> Answer:
    """Return the answer that a clause states."""
    return Answer(clause.error is not None, clause.error, clause.text, clause.files, clause.reminders)


def recorded_answers(scenario: Scenario, transcript: Transcript) -> dict[CallIndex, Answer]:
    """Return the answers of a transcript by call. The files of a group are in the answer of the group.

    New files have their recorded mode.
    """
    answers: dict[CallIndex, Answer] = {}
    rows = iter(transcript.steps)
    for index, step in enumerate(scenario.steps):
        if not isinstance(step, ToolCall | ParallelCalls):
            continue
        row = next(rows, None)
        if row is None:
            break
        for number, result in enumerate(row.results):
            answers[index, number] = Answer(result.is_error, result.error, result.answer)
        location: CallIndex = (index, 0) if isinstance(step, ToolCall) else (index, None)
        files = dict(row.changes)
        for path, mode in row.created.items():
            entry = files.get(path, Directory())
            if isinstance(entry, RegularFile | Directory):
                files[path] = replace(entry, mode=mode)
        answers[location] = replace(answers.get(location, Answer()), files=files, reminders=row.reminders)
    return answers


def patched(
    scenario: Scenario,
    expected: Mapping[CallIndex, Answer],
    differences: Sequence[Difference],
    vocabulary: Vocabulary,
) -> dict[CallIndex, Answer]:
    """Return the answers of a run: the expected answers, changed by the differences that the run was judged by."""
    tools = {call.place: call.tool for call in asked(scenario)}
    answers = dict(expected)
    for difference in differences:
        location: CallIndex = (difference.step, difference.call)
        kind, _, path = difference.what.partition(" ")
        if kind in ("file", "path", "mode"):
            if (difference.step, None) in tools:
                location = (difference.step, None)
            path = path.removeprefix("of ") if kind == "mode" else path
            answer = answers.get(location, Answer())
            files = {**answer.files, path: ReportedEntry(kind, difference.got)}
            answers[location] = replace(answer, files=files)
        elif location in tools:
            answers[location] = _apply_difference(
                answers.get(location, Answer()), difference, tools[location], vocabulary
            )
    return answers


def _apply_difference(answer: Answer, difference: Difference, tool: str, vocabulary: Vocabulary) -> Answer:
    got = difference.got
    match difference.what:
        case "refused":
            outcome, _, raw = got.partition(": ")
            text = answer_of(raw)
            refused = outcome == "refused"
            return replace(
                answer, refused=refused, error=vocabulary.name_of(tool, text) if refused else None, text=text
            )
        case "error":
            unknown = got.startswith("no known error: ")
            return replace(answer, error=None if unknown else got)
        case "text":
            return replace(answer, text=got)
        case "start of text":
            return replace(answer, text=replace(_known_part(answer), starts=got))
        case "end of text":
            return replace(answer, text=replace(_known_part(answer), ends=got))
        case "lines of text":
            return replace(answer, text=replace(_known_part(answer), lines=int(got)))
        case "sha256 of text":
            return replace(answer, text=replace(_known_part(answer), sha256=got))
        case _:
            return answer


def _known_part(answer: Answer) -> TextDigest:
    """Return the known part of a text that differs from the expected text."""
    match answer.text:
        case TextDigest() as digest:
            return replace(digest, sha256=None)
        case str() as text:
            return TextDigest(starts=text[:200], ends=text[-200:])
        case None:
            return TextDigest()


_MAX_INDEXED_BYTES = 65_536
"""Only this part of a file is split into lines."""
_MAX_SEARCHES = 16
"""So many lines are searched in the texts. For more lines, an index is faster."""


def before_steps(
    scenario: Scenario, answers: Mapping[CallIndex, Answer]
) -> Sequence[Mapping[str, Entry | ReportedEntry | None]]:
    """Return the state of the paths before each step, if every call gave these answers.

    Links are not followed. Unknown paths are missing. Modes are included if they are known.
    """
    state: dict[str, Entry | ReportedEntry | None] = {}
    for path, entry in scenario.given.files.items():
        given = scenario.given.files.get(entry.to) if isinstance(entry, HardLink) else entry
        state[path] = with_known_mode(given, None)
    states = []
    for index, step in enumerate(scenario.steps):
        states.append(dict(state))
        match step:
            case WorldEvent():
                imagine(step, state)
            case ToolCall(during=during):
                for event in during:
                    imagine(event, state)
        for number in (None, 0):
            answer = answers.get((index, number))
            if answer is not None:
                state.update({path: kept(entry, state.get(path)) for path, entry in answer.files.items()})
    return states


def with_modes(scenario: Scenario, answers: Mapping[CallIndex, Answer]) -> dict[CallIndex, Answer]:
    """Return the answers with the modes of files that keep their mode."""
    states = before_steps(scenario, answers)
    return {
        location: replace(
            answer,
            files={path: kept(entry, states[location[0]].get(path)) for path, entry in answer.files.items()},
        )
        for location, answer in answers.items()
    }


def kept(
    entry: Entry | ReportedEntry | None, former: Entry | ReportedEntry | None
) -> Entry | ReportedEntry | None:
    """Return an entry with the mode of `former`, unless the entry states a mode."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    return replace(entry, mode=former.mode) if isinstance(former, type(entry)) else entry


class KnownLines(Container[str]):
    """Every line in files, events and arguments of a scenario, without surrounding whitespace.

    Some scenarios have several hundred thousand lines. The first lookups therefore search the texts, without
    an index.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._lookups = 0

    def __contains__(self, line: object) -> bool:
        """Whether a text of the scenario contains this line."""
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
        lines = {
            line for text in self._scenario_texts for line in text.splitlines()
        }  # many lines of a large file are equal
        return frozenset(map(str.strip, lines)) - {""}


@lru_cache(maxsize=256)
def _decode_text(data: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
