"""Find lines of files that the contract's answers show to the model, but the answers of the judged session do not."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from readfirst.harness.adapter_api import BASH, ToolResult
from readfirst.harness.compare.file_comparison import FileDifference
from readfirst.harness.compare.own_outcome import reminders_of, text_of
from readfirst.harness.harm.judge import JudgedStep, Judgement
from readfirst.harness.harm.line_provenance import lines_of
from readfirst.harness.harm.visible_lines import shown_lines
from readfirst.harness.number_ranges import format_number_ranges
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract, effects_clause_for
from readfirst.harness.suite.file_entry import Entry, RegularFile, data_of
from readfirst.harness.suite.scenario import READERS, ParallelCalls, Scenario, ToolCall, calls_of
from readfirst.harness.workspace.snapshot import candidate_paths

_SHOWING = READERS | {BASH}
"""Tools whose answer must show the lines that the contract's answer shows. Otherwise, an earlier answer may do so."""
_NO_TEXT = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"%PDF")
"""First bytes of images and documents. Their contents are not shown as lines, so they are not compared."""
_TAG = re.compile(r"</?[A-Za-z_][^<>\n]*>")
_DOCUMENTED_LINES, _DOCUMENTED_LINE_CHARS = 2_000, 2_000
"""The published descriptions of Claude Code promise at least this many lines, and this many characters of a line."""
_MAX_RANGES = 4
"""Maximum number of line ranges, such as `3–5`, in the description of a difference."""


class ShownLines(NamedTuple):
    """The lines of one file that an answer of the contract shows, by number (from 1)."""

    call: int | None
    """The number of the answer in its step, from 0. None for reminders."""
    path: str
    numbers: tuple[int, ...]
    are_cells: bool = False
    """Whether the numbers are those of cells in a notebook."""
    may_be_earlier: bool = False
    """Whether an earlier answer of the session may show the lines instead."""


def lines_of_contract(
    scenario: Scenario, contract: Contract, index: int, seen: JudgedStep
) -> Iterator[ShownLines]:
    """Yield the lines that the contract's answers show in a step. `seen` is the same step in a replay."""
    step = scenario.steps[index]
    if not isinstance(step, ToolCall | ParallelCalls):
        return
    for number, (call, stated) in enumerate(zip(seen.calls, calls_of(step), strict=True)):
        clause = effects_clause_for(scenario, stated.expect, contract)
        if clause is None or clause.error is not None:
            continue
        answer = text_of(clause, stated.expect)
        files = seen.before if call.tool in READERS else seen.after
        shown = _lines_in_answer(number, call, answer, files, may_be_earlier=call.tool not in _SHOWING)
        is_unstated = not contract.recorded and (clause.text is None or clause is stated.expect.recorded)
        yield from _within_documented_limits(shown, files) if is_unstated else shown
    whole = effects_clause_for(scenario, step.expect, contract)
    if text := "\n".join(reminders_of(scenario, contract, whole)):
        yield from _lines_in_answer(None, ToolCall("", {}), text, seen.after, may_be_earlier=True)


def _within_documented_limits(
    expected: Iterable[ShownLines], files: Mapping[str, Entry]
) -> Iterator[ShownLines]:
    """Yield only the expected lines within the limits (number, length) of Claude Code's published descriptions."""
    for shown in expected:
        lines = lines_of(data_of(files[shown.path]) or b"")
        numbers = shown.numbers
        if not shown.are_cells:
            numbers = tuple(
                number
                for number in numbers
                if number <= _DOCUMENTED_LINES and len(lines[number - 1]) <= _DOCUMENTED_LINE_CHARS
            )
        if numbers:
            yield shown._replace(numbers=numbers)


def _lines_in_answer(
    number: int | None, call: ToolCall, answer: str, files: Mapping[str, Entry], *, may_be_earlier: bool
) -> Iterator[ShownLines]:
    """Yield the lines of each file that an answer of the contract shows. `number` (the number of the call, from 0) and
    `may_be_earlier` are stored in each ShownLines.
    """
    named = set(candidate_paths(call.arguments, files))
    for path, entry in files.items():
        if not isinstance(entry, RegularFile) or entry.data.startswith(_NO_TEXT):
            continue
        if path not in named and call.tool != BASH and f"$WS/{path}" not in answer:
            continue
        lines = lines_of(entry.data)
        shown = _true_numbers(shown_lines(lines, answer)) if lines else ()
        if numbers := tuple(line for line in shown if lines[line - 1].strip()):
            yield ShownLines(number, path, numbers, may_be_earlier=may_be_earlier)
        cells = cell_sources(path, entry.data) if call.tool in READERS and path in named else []
        if numbers := _true_numbers(shown_cells(cells, answer)):
            yield ShownLines(number, path, numbers, are_cells=True)


def find_missing_lines(
    scenario: Scenario, contract: Contract, outcome: Outcome, judgement: Judgement
) -> Iterator[tuple[int, int, FileDifference]]:
    """Find answers that show fewer lines than the contract's answers. Yield the step, the call (both from 0), and the
    difference. If earlier answers may show the missing lines, a file's difference is reported only once.
    """
    reported: set[str] = set()
    for index, seen in judgement.steps.items():
        happened, calls = outcome.steps[index], seen.calls
        for expected in lines_of_contract(scenario, contract, index, seen):
            number = len(calls) - 1 if expected.call is None else expected.call
            if expected.call is not None and happened.results[number].is_error:
                continue
            if expected.may_be_earlier:
                missing = set() if expected.path in reported else _lines_not_seen(expected, seen)
            else:
                missing = _lines_not_in_answer(expected, calls[number], seen, happened.results[number])
            if missing:
                reported.add(expected.path)
                unit = "cell" if expected.are_cells else "line"
                got = tuple(line for line in expected.numbers if line not in missing)
                words = _describe(expected.numbers, unit), _describe(got, unit) if got else "none of them"
                yield index, number, FileDifference(f"shown {expected.path}", *words)


def _lines_not_seen(expected: ShownLines, seen: JudgedStep) -> set[int]:
    """Return the numbers of the expected lines that no answer has shown to the session up to the end of a step."""
    known = seen.known.get(expected.path)
    marks = known.marks if known is not None and known.data == data_of(seen.after[expected.path]) else ""
    return {number for number in expected.numbers if not marks[number - 1 : number].isupper()}


def _lines_not_in_answer(
    expected: ShownLines, call: ToolCall, seen: JudgedStep, result: ToolResult
) -> set[int]:
    """Return the numbers of the expected lines or cells that are missing in an answer and its reminders."""
    data = data_of((seen.before if call.tool in READERS else seen.after)[expected.path]) or b""
    sources = cell_sources(expected.path, data) if expected.are_cells else []
    missing = {*expected.numbers}
    for answer in (result.text, *result.reminders):
        shown = shown_cells(sources, answer) if expected.are_cells else shown_lines(lines_of(data), answer)
        missing.difference_update(_true_numbers(shown))
    return missing


def _true_numbers(values: Sequence[bool]) -> tuple[int, ...]:
    return tuple(number for number, value in enumerate(values, 1) if value)


def cell_sources(path: str, data: bytes) -> list[str]:
    """Return the source of each cell of a notebook. Empty if the file is not a notebook."""
    if not path.endswith(".ipynb"):
        return []
    try:
        cells = json.loads(data.decode("utf-8-sig"))["cells"]
        sources = [cell["source"] for cell in cells]
        return ["".join(each) if isinstance(each, list) else str(each) for each in sources]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def shown_cells(sources: Sequence[str], answer: str) -> list[bool]:
    """Return for each cell of a notebook whether an answer shows all lines of its source, after the lines of earlier
    cells. Tags in the answer are ignored. A cell without text counts as shown.
    """
    answer = _TAG.sub("\n", answer)
    shown = []
    last = 0
    for source in sources:
        end = _find_lines(filter(None, map(str.strip, source.split("\n"))), answer, last)
        shown.append(end is not None)
        last = last if end is None else end
    return shown


def _find_lines(lines: Iterable[str], answer: str, start: int) -> int | None:
    """Search lines in order in an answer, from `start`. Return the end of the last line. None if a line is missing."""
    for line in lines:
        ends = []
        for form in {line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]}:
            # In JSON, the letter before it may belong to an escape.
            before = r"(?:(?<!\w)|(?<=\\[nrt]))" if form[0].isalnum() else ""
            after = r"(?!\w)" if form[-1].isalnum() else ""
            if found := re.compile(before + re.escape(form) + after).search(answer, start):
                ends.append(found.end())
        if not ends:
            return None
        start = min(ends)
    return start


def _describe(numbers: Sequence[int], unit: str) -> str:
    """Return numbers as a text with their unit, such as `line 1` or `lines 1–3, 5`."""
    return f"{unit}{'s' if len(numbers) > 1 else ''} {format_number_ranges(numbers, _MAX_RANGES)}"
