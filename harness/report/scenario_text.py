"""Write the text that `readfirst show` prints: a scenario with the expectations of one contract, escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import short_path
from readfirst.harness.report.step_text import brief_entry, describe_step
from readfirst.harness.report.timeline import Block, clause_blocks, event_blocks, given_blocks
from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.contracts import Contract, clause_for, contract_sort_key
from readfirst.harness.suite.product_versions import version_spans
from readfirst.harness.suite.scenario import (
    CallIndex,
    Clause,
    Expectation,
    ParallelCalls,
    Scenario,
    TextDigest,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.transcript import Recording

_MAX_LINES = 12
"""Maximum number of lines that are shown from one text or file. For further lines, only their number is shown."""


def scenario_lines(
    scenario: Scenario, contract: Contract, others: OtherContracts | None = None, *, by_hand: bool = False
) -> Iterator[str]:
    """Yield lines about a scenario: metadata, given files, and each step with the contract's expectation. With
    `others`, a table below each step shows the answers of other contracts. `by_hand`: the expectations were not
    recorded.
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
    if by_hand:
        yield "  expected by hand"
    for source in scenario.sources:
        yield f"  source: {visible(source)}"
    if scenario.path is not None:
        yield f"  file: {visible(short_path(scenario.path))}"
    yield ""
    yield "given"

    def lines_of_other_contracts(step: int, call: int | None = None) -> Iterator[str]:
        for row in () if others is None else others.rows((step, call)):
            yield f"    {row}"

    yield from _block_lines(given_blocks(scenario))
    if not scenario.given.files:
        yield "  an empty directory"
    for number, step in enumerate(scenario.steps, 1):
        yield ""
        yield f"step {number}: {describe_step(step)}"
        match step:
            case ToolCall():
                for event in step.during:
                    yield f"  during: {describe_step(event)}"
                yield from _expectation_lines(scenario, step.expect, contract)
                yield from lines_of_other_contracts(number - 1, 0)
            case ParallelCalls(calls=calls):
                for call_number, call in enumerate(calls, 1):
                    yield f"  call {call_number}: {describe_step(call)}"
                    yield from _expectation_lines(scenario, call.expect, contract)
                    yield from lines_of_other_contracts(number - 1, call_number - 1)
                if step.expect.clauses():
                    yield from _expectation_lines(scenario, step.expect, contract)
                yield from lines_of_other_contracts(number - 1)
            case WorldEvent():
                yield from _block_lines(event_blocks(step))
            case _:
                pass


def _expectation_lines(scenario: Scenario, expect: Expectation, contract: Contract) -> Iterator[str]:
    clause = clause_for(scenario, expect, contract)
    if clause is None:
        yield f"  {contract.name} says nothing about this"
    else:
        yield from _block_lines(clause_blocks(clause))


def _block_lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if "value" in block:
            yield f"  {block['label']}: {block['value']}"
            continue
        yield f"  {block['label']}"
        lines = block["lines"]
        yield from (f"    | {line}" for line in lines[:_MAX_LINES])
        if more := len(lines[_MAX_LINES:]) + block.get("more", 0):
            yield f"    [{more:,} more lines]"


_MAX_ANSWER_CHARS = 88
"""Maximum characters of an answer in a row of `OtherContracts.rows`."""


class OtherContracts:
    """The recorded answers of all contracts to a scenario's calls, to show how versions differ."""

    def __init__(self, scenario: Scenario, recording: Recording) -> None:
        self._names = sorted(recording.transcripts, key=contract_sort_key)
        self._own = scenario.contract
        self._answers: dict[CallIndex, dict[str, Clause | None]] = {}
        for name in self._names:
            recorded_scenario = with_expectations_of(scenario, name, recording.transcripts[name])
            for call_index, part in recorded_scenario.parts():
                self._answers.setdefault(call_index, {})[name] = part.expect.recorded

    def rows(self, call_index: CallIndex) -> Iterator[str]:
        """Yield the rows of a table of the answers to one call. Each row contains the versions with the same answer,
        and this answer with its changes in short. The answer of the scenario's own contract is `as above`. If all
        answers are equal, yield nothing.
        """
        groups: dict[object, list[str]] = {}
        clauses: dict[object, Clause | None] = {}
        for name, clause in self._answers.get(call_index, {}).items():
            key: object = clause and (clause.error, clause.text, tuple(sorted(clause.files.items())))
            groups.setdefault(key, []).append(name)
            clauses[key] = clause
        own_keys = [key for key, names in groups.items() if self._own in names]
        if [*groups] == own_keys:
            return
        ranges = {key: version_ranges(names, self._names) for key, names in groups.items()}
        width = max(map(len, ranges.values()), default=0)
        for key in own_keys:
            yield f"{ranges[key]:{width}}  as above"
        for key, clause in clauses.items():
            if key not in own_keys:
                yield f"{ranges[key]:{width}}  {_describe_answer(clause)}"


def version_ranges(names: Sequence[str], recorded: Sequence[str]) -> str:
    """Return the versions `names` as ranges: `1.0.60 to 2.1.40`. A range never contains other `recorded` versions."""
    spans = version_spans(sorted(recorded, key=contract_sort_key), names.__contains__)
    return ", ".join(span for span, is_named in spans if is_named)


def _describe_answer(clause: Clause | None) -> str:
    """Return the answer and the changes of a call in one line."""
    if clause is None:
        return "changes no file"
    parts = [] if clause.error is None else [f"refused: {clause.error}"]
    match clause.text:
        case str() as text:
            parts.append(_cut_text(visible(text)))
        case TextDigest(starts=str() as starts):
            parts.append(f"{_cut_text(visible(starts))} …")
        case TextDigest(lines=lines):
            parts.append(f"a text of {lines} lines")
        case None:
            pass
    parts += (
        f"{visible(path)} is gone" if entry is None else brief_entry(path, entry)
        for path, entry in clause.files.items()
    )
    return "; ".join(parts)


def _cut_text(text: str) -> str:
    return text if len(text) <= _MAX_ANSWER_CHARS else f"{text[: _MAX_ANSWER_CHARS - 1]}…"
