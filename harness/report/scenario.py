"""Scenario: the text of `readfirst show`; a scenario as one contract sees it, with every odd character visible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from readfirst.harness.report.failure import short_path
from readfirst.harness.report.other_contracts import OtherContracts
from readfirst.harness.report.step import describe_hook, describe_step
from readfirst.harness.report.visible import visible, visible_lines
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.entry import Directory, Entry, HardLink, RegularFile, Symlink
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    TextDigest,
    ToolCall,
    WorldEvent,
)

_MOST_LINES = 12
"""Lines of one text or file that are shown before the rest is counted instead."""


def scenario_lines(
    scenario: Scenario, contract: Contract, others: OtherContracts | None = None
) -> Iterator[str]:
    """Yield the lines: what it is, the files given, then each step with what the contract expects of it.

    With `others` the answers of other contracts follow, in short.
    """
    yield scenario.id
    yield f"  {visible(scenario.title)}"
    if scenario.about:
        for line in scenario.about.strip().splitlines():
            yield f"  {visible(line)}"
    yield f"  requirement: {scenario.requirement}"
    if scenario.rule:
        yield f"  rule: {visible(scenario.rule)}"
    if scenario.tags:
        yield f"  tags: {', '.join(scenario.tags)}"
    for source in scenario.sources:
        yield f"  source: {visible(source)}"
    if scenario.path is not None:
        yield f"  file: {visible(short_path(scenario.path))}"
    yield ""
    yield "given"
    for path, entry in scenario.given.files.items():
        yield from _entry(path, entry)
    for rule in scenario.given.deny:
        yield f"  deny {visible(rule)}"
    for hook in scenario.given.hooks:
        yield f"  {describe_hook(hook)}"
    if scenario.given.disk is not None:
        yield f"  disk of {scenario.given.disk:,} bytes"
    if scenario.given.permissions is not None:
        yield from (f"  {key} {visible(value)}" for key, value in scenario.given.permissions.lines())
    if not scenario.given.files:
        yield "  an empty directory"
    for number, step in enumerate(scenario.steps, 1):
        yield ""
        yield f"step {number}: {describe_step(step)}"
        match step:
            case ToolCall():
                for event in step.during:
                    yield f"  during: {describe_step(event)}"
                yield from _expectation(scenario, step.expect, contract)
                yield from _others(others, (number - 1, None))
            case ParallelCalls(calls=calls):
                for place, call in enumerate(calls, 1):
                    yield f"  call {place}: {describe_step(call)}"
                    yield from _expectation(scenario, call.expect, contract)
                    yield from _others(others, (number - 1, place - 1))
                if step.expect.clauses():
                    yield from _expectation(scenario, step.expect, contract)
                yield from _others(others, (number - 1, None))
            case WorldEvent() if step.entry is not None:
                yield from _entry(step.path, step.entry)
            case _:
                pass


def _expectation(scenario: Scenario, expect: Expectation, contract: Contract) -> Iterator[str]:
    clause = clause_for(scenario, expect, contract)
    if clause is None:
        yield f"  {contract.name} says nothing about this"
        return
    yield from _clause(clause)


def _others(others: OtherContracts | None, place: tuple[int, int | None]) -> Iterator[str]:
    for row in () if others is None else others.rows(place):
        yield f"    {row}"


def _clause(clause: Clause) -> Iterator[str]:
    if clause.documented:
        yield f"  documented: {visible(clause.documented)}"
    if clause.error is not None:
        yield f"  refused: {clause.error}"
    yield from _text("text", clause.text)
    yield from _files(clause.files)
    for reminder in clause.reminders:
        yield from _text("reminder", reminder)


def _text(what: str, stated: str | TextDigest | None) -> Iterator[str]:
    match stated:
        case str() as text:
            yield f"  {what}"
            yield from _block(text)
        case TextDigest(sha256, lines, starts, ends):
            for name, value in (("sha256", sha256), ("lines", lines)):
                if value is not None:
                    yield f"  {what} {name}: {value}"
            for name, value in (("starts", starts), ("ends", ends)):
                if value is not None:
                    yield f"  {what} {name}"
                    yield from _block(value)
        case None:
            pass


def _files(files: Mapping[str, Entry | None]) -> Iterator[str]:
    for path, entry in files.items():
        if entry is None:
            yield f"  {visible(path)} is gone"
        else:
            yield from _entry(path, entry)


def _entry(path: str, entry: Entry) -> Iterator[str]:
    name = visible(path)
    match entry:
        case RegularFile(mode=mode):
            data = entry.data
            yield f"  {name}{'' if mode is None else f' (mode {mode:04o})'}, {len(data):,} bytes"
            yield from _block(data.decode("utf-8", "surrogateescape"))
        case Symlink(target=target):
            yield f"  {name} -> {visible(target)}"
        case HardLink(to=to):
            yield f"  {name} is another name of {visible(to)}"
        case Directory(mode=mode):
            yield f"  {name}/{'' if mode is None else f' (mode {mode:04o})'}"


def _block(text: str) -> Iterator[str]:
    lines = visible_lines(text)
    for line in lines[:_MOST_LINES]:
        shown = line if len(line) <= 200 else f"{line[:200]} [{len(line) - 200:,} characters]"
        yield f"    | {shown}"
    if len(lines) > _MOST_LINES:
        yield f"    [{len(lines) - _MOST_LINES:,} more lines]"
