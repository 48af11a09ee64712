"""Write a report to the maintainers of a published implementation about a rule that the implementation breaks."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

from readfirst.harness.diff.observed_answers import states_before_steps
from readfirst.harness.report.escape import visible_lines
from readfirst.harness.report.markdown_escape import bullets, code, document, fence_code
from readfirst.harness.report.markdown_escape import cell as prose
from readfirst.harness.report.step_text import brief_step, given_lines
from readfirst.harness.suite.contracts import clause_for
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.harm_kinds import HARMS, MEANING
from readfirst.harness.suite.rules import Rule
from readfirst.harness.suite.scenario import (
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
    calls_of,
)
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.survey.failure_evidence import Evidence, Mismatch
from readfirst.observatory.survey.packed_results import in_families
from readfirst.observatory.targets.edit_formats import Knowledge
from readfirst.observatory.targets.mapping import Target
from readfirst.observatory.targets.translate import Scope, TargetCall, translate_call

HEADINGS = ("What happens", "Steps", "Expected", "Why it matters", "How to repeat it")
"""The headings of the sections of a report to maintainers, in their order."""
_PATH_SUBJECTS = {
    "file ": "the bytes of",
    "mode of ": "the mode of",
    "path ": "the path",
    "shown ": "the shown lines of",
}
"""Beginnings of `Mismatch.what` before a path, such as `mode of notes.txt`. The values are the words in a report."""
_SCOPE = Scope(Path("$WS"), Path("$HOME"))


@dataclass(frozen=True, slots=True)
class Report:
    """The data of a report about a broken rule, with the published entries of the rule (`cell`) and the target
    (`result`).
    """

    target: Target
    rule: Rule
    scenario: Scenario
    evidence: Evidence
    cell: Mapping[str, Any]
    result: Mapping[str, Any]


def issue_text(report: Report, suite: Suite) -> str:
    """Return the report in Markdown. It contains no paths of this machine, and nothing is sent."""
    parts = (
        _what_happens_section(report),
        _steps_section(report),
        _expected_section(report, suite),
        iter((prose(report.rule.why),)),
        _repeat_section(report, suite),
    )
    harmed = report.result["harm"]["scenarios"]
    kind = next((each for each in HARMS if report.scenario.id in in_families(harmed.get(each, {}))), None)
    harm = _capitalize(MEANING[kind]) if kind else ""
    blocks = [f"# {harm or f'Does not hold: {prose(report.rule.title)}'}"]
    for heading, part in zip(HEADINGS, parts, strict=True):
        blocks += [f"## {heading}", *part]
    return document(blocks)


def _what_happens_section(report: Report) -> Iterator[str]:
    cell, about = report.cell, report.result["about"]
    release = report.target.release
    packages = ", ".join(f"`{each}`" for each in (*release.pip, *release.npm))
    failing = cell["judged"] - cell["holding"]
    yield (
        f"{packages} ({report.result['title']}) does not follow this rule: **{prose(report.rule.title)}.**\n"
        f"{failing} of the {cell['judged']} tested cases fail. The steps below show one of them. "
        f"Expected: {_with_full_stop(prose(report.scenario.title))}"
    )
    called = {each.tool for each in report.scenario.calls()}
    said = {tool: mapping.call for tool, mapping in report.target.tools.items() if tool in called}
    pairs = [f"{tool} is a call of `{call}`" for tool, call in said.items()]
    renamed = any(tool != call for tool, call in said.items())
    yield (f"Here {', '.join(pairs)}.\n" if renamed else "") + _describe_outcome(report)
    if about:
        yield f"How it was tested: {about}"


def _describe_outcome(report: Report) -> str:
    evidence = report.evidence
    match report.scenario.steps[evidence.step - 1]:
        case ToolCall() as step:
            own = _target_calls(report, step)[0]
            called = f"The last call, of `{own.name}`,"
        case ParallelCalls():
            called = "The last message, which contains several calls,"
        case _:
            called = "The last step"
    if evidence.error:
        return f"{called} ends early, see below."
    parts = []
    for each in evidence.found:
        if each.what == "refused":
            parts.append("is refused" if each.got.startswith("refused") else "is not refused")
        else:
            parts.append(f"leaves {_mismatch_subject(each)} different from the expected result")
    *others, last = dict.fromkeys(parts)
    return f"{called} {', '.join(others)}{' and ' if others else ''}{last}."


def _expected_section(report: Report, suite: Suite) -> Iterator[str]:
    evidence, scenario = report.evidence, report.scenario
    contract = suite.contracts[suite.contracts.default]
    for call in calls_of(scenario.steps[evidence.step - 1]):
        clause = clause_for(scenario, call.expect, contract)
        if clause is None:
            continue
        if clause.error is None:
            yield "The call is carried out."
            continue
        summary = suite.vocabulary.names[clause.error].summary
        refusal = f"The call is refused, and changes nothing. Reason: {_with_full_stop(prose(summary))}"
        if isinstance(clause.text, str):
            yield f"{refusal}\nClaude Code {contract.name}, for example, answers:"
            yield fence_code("text", _escaped_lines(clause.text))
        else:
            yield refusal
    for each in evidence.found:
        if each.what != "refused":
            yield f"{_capitalize(_mismatch_subject(each))}:"
            yield fence_code("text", _escaped_lines(each.expected))


def _steps_section(report: Report) -> Iterator[str]:
    """Yield the section `Steps`: the files at the start, each step with its answer, and the changed files."""
    yield f"Observed on {report.result['date']}. `$WS` is the directory of the files; odd characters are escaped."
    yield f"At the start:\n\n{bullets(code(line, escaped=True) for line in given_lines(report.scenario.given))}"
    for number, step in enumerate(report.scenario.steps[: report.evidence.step], 1):
        if isinstance(step, WorldEvent | SessionEvent):
            yield f"{number}. Another program or the user: {code(brief_step(step), escaped=True)}"
            continue
        answers = report.evidence.answers[number - 1] if number <= len(report.evidence.answers) else ()
        calls = _target_calls(report, step)
        for place, call in enumerate(calls):
            yield f"{f'{number}.' if not place else '  '} A call of `{call.name}`:"
            yield _indented_block(json.dumps(call.arguments, ensure_ascii=False))
        for call, answer in zip(calls, answers, strict=False):
            yield f"   `{call.name}` {'was refused' if answer.refused else 'answered'}:"
            yield _indented_block(answer.text)
        if not answers:
            yield "   There was no answer."
    if report.evidence.error:
        yield "It ended early:"
        yield fence_code("text", _escaped_lines(report.evidence.error))
    for each in report.evidence.found:
        if each.what != "refused":
            yield f"{_capitalize(_mismatch_subject(each))} afterwards:"
            yield fence_code("text", _escaped_lines(each.got))


def _indented_block(text: str) -> str:
    return indent(fence_code("text", _escaped_lines(text)), "   ", bool)


def _target_calls(report: Report, step: ToolCall | ParallelCalls) -> list[TargetCall]:
    """Return the calls of a step, translated to the tools of the target. `$WS` stands for the path of the workspace."""
    known = _knowledge_before(report.scenario, step)
    return [
        translate_call(report.target, call.tool, call.arguments, _SCOPE, known) for call in calls_of(step)
    ]


def _knowledge_before(scenario: Scenario, end: Step) -> Knowledge:
    """Return the content of files that a model knows before the step `end`, so that calls can quote it."""
    there: dict[str, str | None] = {}
    known = Knowledge(there.get)
    said = {place: clause for place, part in scenario.parts() if (clause := part.expect.recorded)}
    done: tuple[ToolCall, ...] = ()
    for step, files in zip(scenario.steps, states_before_steps(scenario, said), strict=True):
        for path, entry in files.items():
            text = entry.data.decode("utf-8", "replace") if isinstance(entry, RegularFile) else None
            there[f"$WS/{path}"] = there[path] = text
        for call in done:
            if call.expect.recorded is not None and call.expect.recorded.error is None:
                known.learn(call.tool, call.arguments)
        if step is end:
            break
        done = calls_of(step)
    return known


def _repeat_section(report: Report, suite: Suite) -> Iterator[str]:
    yield (
        f"This was found by readfirst, a conformance suite for the file tools of coding agents, with its scenario "
        f"`{report.scenario.id}` of the rule `{report.rule.id}`. The expected results are those of Claude Code "
        f"{suite.contracts.default}. This command repeats the test:"
    )
    yield fence_code("shell", f"readfirst run target:{report.target.pinned} {report.scenario.id} --trace")


def _mismatch_subject(found: Mismatch) -> str:
    for prefix, subject in _PATH_SUBJECTS.items():
        if found.what.startswith(prefix):
            return f"{subject} {code(found.what.removeprefix(prefix))}"
    return f"the {found.what}" if found.what in ("text", "error") else prose(found.what)


def _escaped_lines(text: str) -> str:
    return "\n".join(visible_lines(text)) or "(empty)"


def _capitalize(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _with_full_stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
