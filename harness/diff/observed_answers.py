"""Answer: what one side of a comparison gives at one call, and what the files of a scenario hold before each step."""

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
"""The name in place of the tool's where all of a group is meant."""


@dataclass(frozen=True, slots=True)
class ReportedEntry:
    """What a judged run found at a path, in the words of its report; `what` is `file`, `path` or `mode`."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """`error` is the name of the refusal, None where it has none. `text` None: nothing is said of it.

    `files` are the paths that the step changes, with their new state; `reminders` come with it.
    """

    refused: bool = False
    error: str | None = None
    text: str | TextDigest | None = None
    files: Mapping[str, Entry | ReportedEntry | None] = field(default_factory=dict)
    reminders: tuple[str | TextDigest, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a scenario, or all of a group (without `call`), and all that is expected of it."""

    place: CallIndex
    tool: str
    expect: Expectation
    call: ToolCall | None = None


def asked(scenario: Scenario) -> Iterator[Asked]:
    """Yield what a scenario asks, in its order: every call, and each group after its calls."""
    for index, step in enumerate(scenario.steps):
        for number, part in enumerate(parts_of(step)):
            if isinstance(part, ToolCall):
                yield Asked((index, number), part.tool, part.expect, part)
            else:
                yield Asked((index, None), GROUP, part.expect)


def clause_answer(clause: Clause) -> Answer:
    """Return what a clause says."""
    return Answer(clause.error is not None, clause.error, clause.text, clause.files, clause.reminders)


def recorded_answers(scenario: Scenario, transcript: Transcript) -> dict[CallIndex, Answer]:
    """Return what a transcript has at each call, and at each group for the files: of what is new with its mode."""
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
        place: CallIndex = (index, 0) if isinstance(step, ToolCall) else (index, None)
        files = dict(row.changes)
        for path, mode in row.created.items():
            entry = files.get(path, Directory())
            if isinstance(entry, RegularFile | Directory):
                files[path] = replace(entry, mode=mode)
        answers[place] = replace(answers.get(place, Answer()), files=files, reminders=row.reminders)
    return answers


def patched(
    scenario: Scenario,
    expected: Mapping[CallIndex, Answer],
    differences: Sequence[Difference],
    vocabulary: Vocabulary,
) -> dict[CallIndex, Answer]:
    """Return what a run gave: what was expected of it, but for the differences that it was judged by."""
    tools = {each.place: each.tool for each in asked(scenario)}
    given = dict(expected)
    for difference in differences:
        place: CallIndex = (difference.step, difference.call)
        kind, _, path = difference.what.partition(" ")
        if kind in ("file", "path", "mode"):
            if (difference.step, None) in tools:
                place = (difference.step, None)
            path = path.removeprefix("of ") if kind == "mode" else path
            answer = given.get(place, Answer())
            files = {**answer.files, path: ReportedEntry(kind, difference.got)}
            given[place] = replace(answer, files=files)
        elif place in tools:
            given[place] = _said(given.get(place, Answer()), difference, tools[place], vocabulary)
    return given


def _said(answer: Answer, difference: Difference, tool: str, vocabulary: Vocabulary) -> Answer:
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
            return replace(answer, text=replace(_partial(answer), starts=got))
        case "end of text":
            return replace(answer, text=replace(_partial(answer), ends=got))
        case "lines of text":
            return replace(answer, text=replace(_partial(answer), lines=int(got)))
        case "sha256 of text":
            return replace(answer, text=replace(_partial(answer), sha256=got))
        case _:
            return answer


def _partial(answer: Answer) -> TextDigest:
    """Return what is left of a text once it is known not to be the expected one."""
    match answer.text:
        case TextDigest() as digest:
            return replace(digest, sha256=None)
        case str() as text:
            return TextDigest(starts=text[:200], ends=text[-200:])
        case None:
            return TextDigest()


_MOST_BYTES = 65_536
"""Of larger files the lines are not collected."""
_FEW = 16
"""Questions that take less time, one by one, than to collect the lines."""


def before_steps(
    scenario: Scenario, answers: Mapping[CallIndex, Answer]
) -> Sequence[Mapping[str, Entry | ReportedEntry | None]]:
    """Return for each step what its paths hold before it, if every call gave these answers.

    Links are not followed; a path that nothing is known of is missing. Modes are stated as far as they are known.
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
    """Return the answers with the mode of every file that keeps the one that it had before the step."""
    states = before_steps(scenario, answers)
    return {
        place: replace(
            answer,
            files={path: kept(entry, states[place[0]].get(path)) for path, entry in answer.files.items()},
        )
        for place, answer in answers.items()
    }


def kept(
    entry: Entry | ReportedEntry | None, former: Entry | ReportedEntry | None
) -> Entry | ReportedEntry | None:
    """Return an entry with the mode that was there before, if it states none."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    return replace(entry, mode=former.mode) if isinstance(former, type(entry)) else entry


class KnownLines(Container[str]):
    """Every line that a file, an event or an argument of a scenario holds, without its end and blanks around it.

    A few scenarios have some hundred thousand: they are not collected for a few questions about what is nowhere in
    their texts.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._questions = 0

    def __contains__(self, line: object) -> bool:
        """Tell whether there is such a line."""
        self._questions += 1
        if self._questions <= _FEW and not any(str(line) in text for text in self._texts):
            return False
        return line in self._lines

    @cached_property
    def _texts(self) -> Sequence[str]:
        texts = [text for call in self._scenario.calls() for text in texts_in(call.arguments)]
        events = self._scenario.events()
        entries = (*self._scenario.given.files.values(), *(event.entry for event in events))
        files = (entry.data[:_MOST_BYTES] for entry in entries if isinstance(entry, RegularFile))
        return [*texts, *map(_decoded, files)]

    @cached_property
    def _lines(self) -> frozenset[str]:
        lines = {line for text in self._texts for line in text.splitlines()}  # many of a large file are alike
        return frozenset(map(str.strip, lines)) - {""}


@lru_cache(maxsize=256)
def _decoded(data: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
