"""Disagreement: the first thing in which two implementations differ on the same scenario."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from readfirst.harness.compare.expected_files import FileDifference
from readfirst.harness.compare.untouched_files import name_differences, trace_differences
from readfirst.harness.compare.verdict import LEVELS, Level, up_to
from readfirst.harness.record.transcribe import own_changes
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.session import ToolResult
from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.host_text import answer_of, without_outer_whitespace
from readfirst.harness.suite.scenario import Scenario, Step, ToolCall, calls_of
from readfirst.harness.suite.vocabulary import Vocabulary

DONE = "done"
UNNAMED = "unnamed error"


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """What disagreements are grouped by: the tool, the level, and what each side made of the call.

    `reference` and `target` are an error's name, `done` for a success, or `unnamed error`. At the level `safe` `target`
    is the kind of harm, and there is no reference.
    """

    tool: str
    level: Level
    reference: str
    target: str

    def __str__(self) -> str:
        return self.in_words("the reference")

    def in_words(self, beside: str) -> str:
        """Return it in one line; `beside` is what the target is compared with, at the level `safe` nothing."""
        if self.level == "safe":
            return f"{self.tool}: {self.target}"
        return f"{self.tool}: {self.target} by the target, {self.reference} by {beside} ({self.level})"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where two outcomes first differ: step and call (from 0), and what each side gave there."""

    cause: Cause
    step: int
    call: int
    what: str
    reference: str
    target: str


def disagreements(
    scenario: Scenario,
    reference: Outcome,
    target: Outcome,
    level: Level,
    vocabulary: Vocabulary,
    *,
    ignores_outer_whitespace: bool = False,
) -> Iterator[Disagreement]:
    """Yield a difference at `level` or below for each step that has one, up to the first one in effects.

    After that the two have different files, and what they answer about them says nothing.
    Files are compared in full after every step; so are, where the target has to leave them alone, their times and which
    names share one. `verbatim` compares as `text`, because host wrapping differs. With
    `ignores_outer_whitespace`, answers may have other whitespace at both ends.
    """
    judged = up_to(level)
    pairs = zip(scenario.steps, reference.steps, target.steps, strict=False)
    state = dict(reference.before)
    for index, (step, ours, theirs) in enumerate(pairs):
        found = _of_step(index, step, ours, theirs, judged, vocabulary, ignores_outer_whitespace)
        if found is None or found.cause.level != "effects":
            found = _of_untouched_files(index, step, ours, theirs, state, vocabulary) or found
        if found is not None:
            yield found
            if found.cause.level == "effects":
                return
        for path, entry in ours.changes.items():
            if entry is None:
                state.pop(path, None)
            else:
                state[path] = entry
    if (broke := _of_breakage(scenario, reference, target)) is not None:
        yield broke


def _of_breakage(scenario: Scenario, reference: Outcome, target: Outcome) -> Disagreement | None:
    """Return the difference that one side broke where the other went on."""
    if reference.broken is not None or target.broken is None or target.broken.step >= len(reference.steps):
        return None
    calls = calls_of(scenario.steps[target.broken.step])
    tool = calls[0].tool if len(calls) == 1 else "parallel" if calls else "world event"
    cause = Cause(tool, "effects", "answered", "broken")
    return Disagreement(cause, target.broken.step, 0, "answer", "an answer", target.broken.message)


def _of_step(
    index: int,
    step: Step,
    ours: StepOutcome,
    theirs: StepOutcome,
    judged: tuple[Level, ...],
    vocabulary: Vocabulary,
    ignores_outer_whitespace: bool,
) -> Disagreement | None:
    calls = calls_of(step)
    worst: Disagreement | None = None
    for number, (call, one, other) in enumerate(zip(calls, ours.results, theirs.results, strict=True)):
        names = (_made_of(call, one, vocabulary), _made_of(call, other, vocabulary))
        answers = _answers(one, other)
        if ignores_outer_whitespace:
            answers = without_outer_whitespace(answers[0]), without_outer_whitespace(answers[1])
        level: Level | None = None
        if one.is_error != other.is_error:
            level = "effects"
        elif answers[0] != answers[1] and names[0] != names[1] and "reason" in judged:
            level = "reason"
        elif answers[0] != answers[1] and "text" in judged:
            level = "text"
        if level is not None and (worst is None or LEVELS.index(level) < LEVELS.index(worst.cause.level)):
            worst = Disagreement(Cause(call.tool, level, *names), index, number, "answer", *answers)
    if worst is not None and worst.cause.level == "effects":
        return worst
    if ours.changes != theirs.changes:
        path = next(path for path in sorted({*ours.changes, *theirs.changes}) if _differs(path, ours, theirs))
        described = (_describe(path, ours.changes), _describe(path, theirs.changes))
        return Disagreement(_effects(calls, ours, theirs, vocabulary), index, 0, f"file {path}", *described)
    return worst


def _of_untouched_files(
    index: int,
    step: Step,
    ours: StepOutcome,
    theirs: StepOutcome,
    state: Mapping[str, Entry],
    vocabulary: Vocabulary,
) -> Disagreement | None:
    """Return what the target did to files with their bytes and modes unchanged; `state` is the workspace before."""
    calls = calls_of(step)
    for found in _touched(calls, ours, theirs, state):
        cause = _effects(calls, ours, theirs, vocabulary)
        return Disagreement(cause, index, 0, found.what, found.expected, found.got)
    return None


def _touched(
    calls: tuple[ToolCall, ...], ours: StepOutcome, theirs: StepOutcome, state: Mapping[str, Entry]
) -> Iterator[FileDifference]:
    if not calls or not (theirs.traces or theirs.names_before or theirs.names):
        return
    expected = own_changes(ours, state)
    done = (call for call, result in zip(calls, ours.results, strict=True) if not result.is_error)
    allowed = [call for call in done if call.tool != "Read"]
    yield from trace_differences(expected, allowed, state, theirs.names, theirs.traces)
    yield from name_differences(expected, theirs.names_before, theirs.names, theirs.changes)


def _effects(
    calls: tuple[ToolCall, ...], ours: StepOutcome, theirs: StepOutcome, vocabulary: Vocabulary
) -> Cause:
    """Return the cause of a difference of files: what each side made of the only call."""
    if len(calls) != 1:
        return Cause("parallel" if calls else "world event", "effects", DONE, DONE)
    made = (_made_of(calls[0], each.results[0], vocabulary) for each in (ours, theirs))
    return Cause(calls[0].tool, "effects", *made)


def _answers(ours: ToolResult, theirs: ToolResult) -> tuple[str, str]:
    """Return what each side itself answered. Line ends before a reminder may be the reminder's: they do not count."""
    answers = (_answer(ours.text), _answer(theirs.text))
    if any(
        "</system-reminder>" in result.text[len(answer) :]
        for result, answer in zip((ours, theirs), answers, strict=True)
    ):
        return answers[0].rstrip("\n"), answers[1].rstrip("\n")
    return answers


_QUOTING_REMINDER = re.compile(r"\n{1,2}<system-reminder>\nNote: .*</system-reminder>\n*\Z", re.DOTALL)
"""A reminder at the end that quotes changed lines, which may hold such elements themselves."""


def _answer(text: str) -> str:
    """Return a tool's own answer; what is at its end like a reminder counts on neither side, wrapped or not."""
    return answer_of(answer_of(_QUOTING_REMINDER.sub("", text)))


def _made_of(call: ToolCall, result: ToolResult, vocabulary: Vocabulary) -> str:
    if not result.is_error:
        return DONE
    return result.error or vocabulary.name_of(call.tool, _answer(result.text)) or UNNAMED


_ABSENT = object()


def _differs(path: str, ours: StepOutcome, theirs: StepOutcome) -> bool:
    return ours.changes.get(path, _ABSENT) != theirs.changes.get(path, _ABSENT)


def _describe(path: str, changes: Mapping[str, Entry | None]) -> str:
    if path not in changes:
        return "unchanged"
    match changes[path]:
        case None:
            return "gone"
        case RegularFile(mode=mode) as entry:
            return f"{entry.data[:300]!r} ({len(entry.data)} bytes), mode {mode or 0:04o}"
        case entry:
            return str(entry)
