"""Issue: the text of a report to the maintainers of a published implementation, about one rule that it breaks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from readfirst.harness.compare.reach import in_families
from readfirst.harness.report.markup import cell as prose
from readfirst.harness.report.markup import code, document, fenced
from readfirst.harness.report.step import brief_step
from readfirst.harness.report.visible import visible_lines
from readfirst.harness.suite.contracts import clause_for
from readfirst.harness.suite.harm_kinds import HARMS, MEANING
from readfirst.harness.suite.rules import Rule
from readfirst.harness.suite.scenario import (
    ParallelCalls,
    Scenario,
    SessionEvent,
    ToolCall,
    WorldEvent,
    calls_of,
)
from readfirst.harness.suite.suite import Suite
from readfirst.harness.survey.evidence import Evidence, Found
from readfirst.harness.survey.programs import own_calls, steps_section
from readfirst.harness.targets.mapping import Target

HEADINGS = ("What happens", "Steps", "Expected", "Evidence", "Why it matters", "How this was found")
"""The parts of a text, in their order."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a text is made of.

    `cell` is that of rule and target in docs/compatibility.json, `result` that of the target in
    docs/implementations.json.
    """

    target: Target
    rule: Rule
    scenario: Scenario
    evidence: Evidence
    cell: Mapping[str, Any]
    result: Mapping[str, Any]

    @property
    def packages(self) -> str:
        """What was installed, for a sentence."""
        return ", ".join(f"`{each}`" for each in (*self.target.release.pip, *self.target.release.npm))


def issue_text(report: Report, suite: Suite) -> str:
    """Return the text, in Markdown. Nothing of this machine is in it, and nothing is sent."""
    parts = (
        _what_happens(report),
        steps_section(report.target, report.scenario, report.evidence),
        _expected(report, suite),
        _evidence(report),
        iter((prose(report.rule.why),)),
        _how_found(report, suite),
    )
    harmed = report.result["harm"]["scenarios"]
    kind = next((each for each in HARMS if report.scenario.id in in_families(harmed.get(each, {}))), None)
    harm = f"{MEANING[kind][0].upper()}{MEANING[kind][1:]}" if kind else ""
    blocks = [f"# {harm or f'Does not hold: {prose(report.rule.title)}'}"]
    for heading, part in zip(HEADINGS, parts, strict=True):
        blocks += [f"## {heading}", *part]
    return document(blocks)


def _what_happens(report: Report) -> Iterator[str]:
    cell, about = report.cell, report.result["about"]
    failing = cell["judged"] - cell["holding"]
    yield (
        f"With {report.packages} ({report.result['title']}) this does not hold: **{prose(report.rule.title)}.**\n"
        f"It fails in {failing} of the {cell['judged']} cases that were tried. The steps below are one of them; "
        f"what should be: {_sentence(prose(report.scenario.title))}"
    )
    called = {each.tool for each in report.scenario.calls()}
    said = {tool: mapping.call for tool, mapping in report.target.tools.items() if tool in called}
    pairs = [f"{tool} is a call of `{call}`" for tool, call in said.items()]
    renamed = any(tool != call for tool, call in said.items())
    yield (f"Here {', '.join(pairs)}.\n" if renamed else "") + _outcome(report)
    if about:
        yield f"As it was tested: {about}"


def _outcome(report: Report) -> str:
    evidence = report.evidence
    match report.scenario.steps[evidence.step - 1]:
        case ToolCall() as step:
            own = own_calls(report.target, report.scenario, step)[0]
            called = f"The last call, of `{own.name}`,"
        case ParallelCalls():
            called = "The last message, of several calls,"
        case _:
            called = "What comes last"
    if evidence.broken:
        return f"{called} ends early, see below."
    parts = []
    for each in evidence.found:
        match each.what.partition(" "):
            case ("refused", _, _):
                parts.append("is refused" if each.got.startswith("refused") else "is not refused")
            case ("file", _, path):
                parts.append(f"leaves other bytes in {code(path)} than expected")
            case ("mode", _, path):
                parts.append(
                    f"leaves {code(path.removeprefix('of '))} with mode {each.got} instead of {each.expected}"
                )
            case ("path", _, path):
                sides = (each.got, each.expected)
                got, wanted = (prose(text.partition(":")[0].partition("\n")[0]) for text in sides)
                parts.append(f"leaves {got} at {code(path)} instead of {wanted}")
            case _:
                parts.append(f"differs in {prose(each.what)}")
    *others, last = dict.fromkeys(parts)
    return f"{called} {', '.join(others)}{' and ' if others else ''}{last}."


def _expected(report: Report, suite: Suite) -> Iterator[str]:
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
        refusal = (
            f"The call is refused, and changes nothing. The reason to refuse it: {_sentence(prose(summary))}"
        )
        if isinstance(clause.text, str):
            yield f"{refusal}\nClaude Code {contract.name}, for example, answers:"
            yield fenced("text", _shown(clause.text))
        else:
            yield refusal
    for each in evidence.found:
        if each.what != "refused":
            yield f"{_named(each)}:"
            yield fenced("text", _shown(each.expected))


def _evidence(report: Report) -> Iterator[str]:
    """Yield what was answered, step by step, and what was there afterwards; odd characters as escapes."""
    yield f"Observed on {report.result['date']}. `$WS` is the folder with the files; odd characters are escaped."
    for number, step in enumerate(report.scenario.steps[: report.evidence.step], 1):
        if isinstance(step, WorldEvent | SessionEvent):
            yield f"{number}. Somebody else: {code(brief_step(step), escaped=True)}"
            continue
        answers = report.evidence.answers[number - 1] if number <= len(report.evidence.answers) else ()
        for call, answer in zip(own_calls(report.target, report.scenario, step), answers, strict=False):
            yield f"{number}. `{call.name}` {'was refused' if answer.refused else 'answered'}:"
            yield indent(fenced("text", _shown(answer.text)), "   ", bool)
        if not answers:
            yield f"{number}. There was no answer."
    if report.evidence.broken:
        yield "It ended early:"
        yield fenced("text", _shown(report.evidence.broken))
    for each in report.evidence.found:
        if each.what != "refused":
            yield f"{_named(each)} afterwards:"
            yield fenced("text", _shown(each.got))


def _how_found(report: Report, suite: Suite) -> Iterator[str]:
    yield (
        f"By readfirst, a conformance suite for the file tools of coding agents. Its rule is `{report.rule.id}`, the "
        f"scenario `{report.scenario.id}`, the behaviour it compares with that of Claude Code "
        f"{suite.contracts.default}. In a checkout of readfirst, with the package installed, these commands show the "
        "scenario and repeat it:"
    )
    commands = (
        f"readfirst show {report.scenario.id}",
        f"readfirst run target:{report.target.pinned} {report.scenario.id} --trace",
    )
    yield fenced("shell", "\n".join(commands))


def _named(found: Found) -> str:
    kind, _, rest = found.what.partition(" ")
    match kind:
        case "file":
            return f"The bytes of {code(rest)}"
        case "mode":
            return f"The mode of {code(rest.removeprefix('of '))}"
        case "path":
            return f"What is at {code(rest)}"
        case _:
            return f"The {found.what}" if found.what in ("text", "error") else prose(found.what)


def _shown(text: str) -> str:
    return "\n".join(visible_lines(text)) or "(empty)"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
