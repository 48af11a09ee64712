"""Scenario: the text of `readfirst show`; a scenario as one contract sees it, with every odd character visible."""

from collections.abc import Iterable, Iterator

from readfirst.harness.report.failure import short_path
from readfirst.harness.report.other_contracts import OtherContracts
from readfirst.harness.report.step import describe_step
from readfirst.harness.report.timeline import Block, clause_blocks, event_blocks, given_blocks
from readfirst.harness.report.visible import visible
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.scenario import Expectation, ParallelCalls, Scenario, ToolCall, WorldEvent

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
    yield from _shown(given_blocks(scenario))
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
            case WorldEvent():
                yield from _shown(event_blocks(step))
            case _:
                pass


def _expectation(scenario: Scenario, expect: Expectation, contract: Contract) -> Iterator[str]:
    clause = clause_for(scenario, expect, contract)
    if clause is None:
        yield f"  {contract.name} says nothing about this"
    else:
        yield from _shown(clause_blocks(clause))


def _others(others: OtherContracts | None, place: tuple[int, int | None]) -> Iterator[str]:
    for row in () if others is None else others.rows(place):
        yield f"    {row}"


def _shown(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if "value" in block:
            yield f"  {block['label']}: {block['value']}"
            continue
        yield f"  {block['label']}"
        lines = block["lines"]
        yield from (f"    | {line}" for line in lines[:_MOST_LINES])
        if more := len(lines[_MOST_LINES:]) + block.get("more", 0):
            yield f"    [{more:,} more lines]"
