"""Compare the outcomes of the same scenario on a target and on the reference or another implementation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.transcribe import own_changes
from readfirst.harness.compare.verdict import Level, up_to
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    Step,
    ToolCall,
    calls_of,
)
from readfirst.harness.suite.unwrap_host_text import answer_of
from readfirst.harness.workspace.snapshot import apply_changes

DONE = "done"
UNNAMED = "unnamed error"
_OTHER = Contract("the other implementation", version="")
_OF_FILES = ("file", "path", "mode", "ownership", "inode", "time", "names")
"""A difference that begins with one of these words is between files. All other differences are between answers."""


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """The tool and the level of a disagreement, and the two results: an error name, `done` or `unnamed error`."""

    tool: str
    level: Level
    reference: str  # empty at the level `safe`
    target: str  # at the level `safe`, the kind of harm


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One difference between the outcomes of reference and target: the call, and the two different results."""

    cause: Cause
    step: int  # index of the step, from 0
    call: int  # index of the call in the step, from 0
    what: str  # `answer`, or the difference's file
    reference: str  # description of the reference's result
    target: str  # description of the target's result


def disagreements(
    scenario: Scenario, reference: Outcome, target: Outcome, level: Level, vocabulary: Vocabulary
) -> Iterator[Disagreement]:
    """Yield at most one disagreement for each step: the first difference at `level` or at a less strict level.

    Ends after a difference in effects, because the files of reference and target then differ, and after a step at
    which the target failed although the reference answered. The level `verbatim` is treated as `text`, because
    agents add texts to answers.
    """
    steps, done = [], []
    state = dict(reference.before)
    for step, ours, theirs in zip(scenario.steps, reference.steps, target.steps, strict=False):
        ours, theirs = _compare_answers(step, ours, theirs, vocabulary)
        steps.append(_expecting(step, ours, own_changes(ours, state)))
        done.append((ours, theirs))
        state = apply_changes(state, ours.changes)
    expected = replace(
        scenario,
        given=replace(scenario.given, reminders=False),
        steps=tuple(steps),
        contract=_OTHER.name,
        invariant=False,
    )
    happened = Outcome(target.scenario_id, tuple(theirs for _, theirs in done), None, reference.before)
    # Other parts of the conversation may have changed the whitespace at both ends of answers.
    contract = replace(_OTHER, ignores_outer_whitespace=target.disturbed)
    differences = compare(expected, happened, contract, "text", vocabulary).differences
    judged = up_to(level)
    for index, group in groupby(
        (each for each in differences if each.level in judged), lambda each: each.step
    ):
        first = next(group)
        calls, sides = calls_of(steps[index]), done[index]
        if first.what.partition(" ")[0] in _OF_FILES:
            what, shown = first.what, (first.expected, first.got)
            made = [each.results[0].error or DONE for each in sides] if len(calls) == 1 else [DONE, DONE]
            cause = Cause(_tool_of(calls), "effects", *made)
        else:
            one, other = (each.results[first.call] for each in sides)
            cause = Cause(calls[first.call].tool, first.level, one.error or DONE, other.error or DONE)
            what, shown = "answer", (one.text, other.text)
        yield Disagreement(cause, index, first.call, what, *shown)
        if first.level == "effects":
            return
    if (broke := _of_breakage(scenario, reference, target)) is not None:
        yield broke


def _compare_answers(
    step: Step, ours: StepOutcome, theirs: StepOutcome, vocabulary: Vocabulary
) -> tuple[StepOutcome, StepOutcome]:
    """Return `ours` and `theirs` without reminders. Two refusals with equal texts get the same error name."""
    pairs = []
    for call, one, other in zip(calls_of(step), ours.results, theirs.results, strict=True):
        texts = _answers(one, other)
        names = [_made_of(call, each, vocabulary) for each in (one, other)]
        if texts[0] == texts[1] and one.is_error == other.is_error:
            names[1] = names[0]
        pairs.append(
            [
                ToolResult(text, each.is_error, name if each.is_error else None)
                for text, each, name in zip(texts, (one, other), names, strict=True)
            ]
        )
    return (
        replace(ours, results=tuple(one for one, _ in pairs)),
        replace(theirs, results=tuple(other for _, other in pairs)),
    )


def _expecting(step: Step, ours: StepOutcome, files: Mapping[str, Entry | None]) -> Step:
    """Return the step with the reference's results (`ours`, `files`) as its expected results."""
    clauses = [Clause(error=each.error, text=each.text) for each in ours.results]
    match step:
        case ToolCall():
            return replace(step, expect=Expectation(replace(clauses[0], files=files)))
        case ParallelCalls(calls):
            expecting = zip(calls, clauses, strict=True)
            return replace(
                step,
                calls=tuple(replace(call, expect=Expectation(clause)) for call, clause in expecting),
                expect=Expectation(Clause(files=files)),
            )
        case _:
            return step


def _of_breakage(scenario: Scenario, reference: Outcome, target: Outcome) -> Disagreement | None:
    """Return a disagreement if the target failed at a step that the reference answered. None in all other cases."""
    if reference.error is not None or target.error is None or target.error.step >= len(reference.steps):
        return None
    calls = calls_of(scenario.steps[target.error.step])
    cause = Cause(_tool_of(calls), "effects", "answered", "error")
    return Disagreement(cause, target.error.step, 0, "answer", "an answer", target.error.message)


def _tool_of(calls: Sequence[ToolCall]) -> str:
    """Return the tool of a step with these calls: `parallel` for several calls, `world event` for no call."""
    return calls[0].tool if len(calls) == 1 else "parallel" if calls else "world event"


def _answers(ours: ToolResult, theirs: ToolResult) -> tuple[str, str]:
    """Return both texts without reminders and, if one text contains a reminder, without final newlines."""
    answers = (_answer(ours.text), _answer(theirs.text))
    if any(
        "</system-reminder>" in result.text[len(answer) :]
        for result, answer in zip((ours, theirs), answers, strict=True)
    ):
        return answers[0].rstrip("\n"), answers[1].rstrip("\n")
    return answers


_QUOTING_REMINDER = re.compile(r"\n{1,2}<system-reminder>\nNote: .*</system-reminder>\n*\Z", re.DOTALL)
"""Matches a reminder at the end of an answer. The lines that it quotes may contain the tags of reminders, too."""


def _answer(text: str) -> str:
    """Return the text of an answer without a reminder, and without text that the program around the tool has added."""
    return answer_of(answer_of(_QUOTING_REMINDER.sub("", text)))


def _made_of(call: ToolCall, result: ToolResult, vocabulary: Vocabulary) -> str:
    if not result.is_error:
        return DONE
    return result.error or vocabulary.name_of(call.tool, _answer(result.text)) or UNNAMED
