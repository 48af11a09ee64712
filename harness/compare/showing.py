"""Compute the lines that the contract's answers show, and find those that a session was not shown."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from readfirst.harness.adapter_api import BASH, ToolResult
from readfirst.harness.compare.file_comparison import FileDifference
from readfirst.harness.compare.own_outcome import reminders_of, text_of
from readfirst.harness.harm.judgement import Judgement, Seen
from readfirst.harness.harm.line_provenance import lines_of
from readfirst.harness.harm.visible_lines import shown_lines
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract, effects_clause_for
from readfirst.harness.suite.file_entry import Entry, RegularFile, data_of
from readfirst.harness.suite.scenario import READERS, ParallelCalls, Scenario, ToolCall, calls_of
from readfirst.harness.workspace.snapshot import candidate_paths

_SHOWING = READERS | {BASH}
"""Tools whose answers must show at least the lines that the contract's answers show. Lines in answers of other tools
are optional, but the session knows them afterwards.
"""
_NO_TEXT = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"%PDF")
"""First bytes of images and documents, which are not shown as lines."""
_TAG = re.compile(r"</?[A-Za-z_][^<>\n]*>")
_DOCUMENTED_LINES, _DOCUMENTED_LINE_CHARS = 2_000, 2_000
"""Minimum numbers that the documents promise for a Read: lines of a file, and characters of a line."""
_RANGES = 4
"""Maximum number of line ranges in a difference."""


class Shows(NamedTuple):
    """The numbers of lines, from 1, that one answer shows of a file. For a notebook, the numbers of cells.

    `call` is the number of the answer in its step, from 0; None for the reminders of a step. With `later`, it
    suffices if an earlier answer showed the lines; without, this answer must show them.
    """

    call: int | None
    path: str
    numbers: tuple[int, ...]
    cells: bool = False
    later: bool = False


def shows(scenario: Scenario, contract: Contract, index: int, seen: Seen) -> Iterator[Shows]:
    """Yield the lines of files that the contract's answers of a step show. `index` is the number of the step, from 0;
    `seen` contains its calls and the files before and after it.
    """
    step = scenario.steps[index]
    if not isinstance(step, ToolCall | ParallelCalls):
        return
    for number, (call, stated) in enumerate(zip(seen.calls, calls_of(step), strict=True)):
        clause = effects_clause_for(scenario, stated.expect, contract)
        if clause is None or clause.error is not None:
            continue
        answer = text_of(clause, stated.expect)
        files = seen.before if call.tool in READERS else seen.after
        shown = _shows(number, call, answer, files, later=call.tool not in _SHOWING)
        is_unstated = not contract.recorded and (clause.text is None or clause is stated.expect.recorded)
        yield from _within_documented_limits(shown, files) if is_unstated else shown
    whole = effects_clause_for(scenario, step.expect, contract)
    reminders = reminders_of(scenario, contract, whole)
    if reminders:
        yield from _shows(None, ToolCall("", {}), "\n".join(reminders), seen.after, later=True)


def _within_documented_limits(shown: Iterable[Shows], files: Mapping[str, Entry]) -> Iterator[Shows]:
    """Yield the lines that the documents promise for a Read without a documented text, up to a number and a length."""
    for each in shown:
        lines = lines_of(data_of(files[each.path]) or b"")
        numbers = tuple(
            number
            for number in each.numbers
            if each.cells
            or (number <= _DOCUMENTED_LINES and len(lines[number - 1]) <= _DOCUMENTED_LINE_CHARS)
        )
        if numbers:
            yield each._replace(numbers=numbers)


def _shows(
    number: int | None, call: ToolCall, answer: str, files: Mapping[str, Entry], *, later: bool
) -> Iterator[Shows]:
    named = set(candidate_paths(call.arguments, files))
    for path, entry in files.items():
        if not isinstance(entry, RegularFile) or entry.data.startswith(_NO_TEXT):
            continue
        if path not in named and call.tool != BASH and f"$WS/{path}" not in answer:
            continue
        lines = lines_of(entry.data)
        shown = _numbers(shown_lines(lines, answer)) if lines else ()
        told = tuple(each for each in shown if lines[each - 1].strip())
        if told:
            yield Shows(number, path, told, later=later)
        cells = sources_of(path, entry.data) if call.tool in READERS and path in named else []
        if told := _numbers(shown_cells(cells, answer)):
            yield Shows(number, path, told, cells=True)


def unseen(
    scenario: Scenario, contract: Contract, outcome: Outcome, judgement: Judgement
) -> Iterator[tuple[int, int, FileDifference]]:
    """Yield each answer that shows fewer lines than the contract's answer: its step and call (from 0), and the
    difference with descriptions of the lines.

    Missing lines of the same file are reported only once, unless an answer must show them itself.
    """
    known: set[str] = set()
    for index, seen in judgement.seen.items():
        happened, calls = outcome.steps[index], seen.calls
        for each in shows(scenario, contract, index, seen):
            number = len(calls) - 1 if each.call is None else each.call
            if each.call is not None and happened.results[number].is_error:
                continue
            if each.later:
                missing = set() if each.path in known else _unknown(each, seen)
            else:
                missing = _unshown(each, calls[number], seen, happened.results[number])
            if missing:
                known.add(each.path)
                unit = "cell" if each.cells else "line"
                got = tuple(each for each in each.numbers if each not in missing)
                words = _in_words(each.numbers, unit), _in_words(got, unit) if got else "none of them"
                yield index, number, FileDifference(f"shown {each.path}", *words)


def _unknown(each: Shows, seen: Seen) -> set[int]:
    """Return the numbers of the lines of `each` that the session has not been shown up to the end of a step."""
    known = seen.known.get(each.path)
    marks = known.marks if known is not None and known.data == data_of(seen.after[each.path]) else ""
    return {number for number in each.numbers if not marks[number - 1 : number].isupper()}


def _unshown(each: Shows, call: ToolCall, seen: Seen, said: ToolResult) -> set[int]:
    """Return the numbers of the lines or cells of `each` that neither an answer (`said`) nor its reminders show."""
    data = data_of((seen.before if call.tool in READERS else seen.after)[each.path]) or b""
    sources = sources_of(each.path, data) if each.cells else []
    missing = {*each.numbers}
    for answer in (said.text, *said.reminders):
        shown = shown_cells(sources, answer) if each.cells else shown_lines(lines_of(data), answer)
        missing.difference_update(_numbers(shown))
    return missing


def _numbers(shown: Sequence[bool]) -> tuple[int, ...]:
    return tuple(number for number, each in enumerate(shown, 1) if each)


def sources_of(path: str, data: bytes) -> list[str]:
    """Return the sources of the cells of a notebook. Empty for other files."""
    if not path.endswith(".ipynb"):
        return []
    try:
        cells = json.loads(data.decode("utf-8-sig"))["cells"]
        sources = [cell["source"] for cell in cells]
        return ["".join(each) if isinstance(each, list) else str(each) for each in sources]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def shown_cells(sources: Sequence[str], answer: str) -> list[bool]:
    """Return for each cell whether an answer contains all lines of its source, after those of the earlier
    cells.

    Tags are ignored. Lines may be escaped as in JSON, and must not be part of a longer word. A cell without
    text counts as shown.
    """
    answer = _TAG.sub("\n", answer)
    shown = []
    last = 0
    for source in sources:
        end = _end_of(filter(None, map(str.strip, source.split("\n"))), answer, last)
        shown.append(end is not None)
        last = last if end is None else end
    return shown


def _end_of(lines: Iterable[str], answer: str, start: int) -> int | None:
    """Return the end of the last line if all lines occur in an answer in order. None if one is missing."""
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


def ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return ascending numbers as ranges: first and last number."""
    rows = [
        [number for _, number in group]
        for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0])
    ]
    return [(row[0], row[-1]) for row in rows]


def _in_words(numbers: Sequence[int], unit: str) -> str:
    """Return `line 1`, or `lines 1–3, 5`."""
    named = [str(first) if first == last else f"{first}\N{EN DASH}{last}" for first, last in ranges(numbers)]
    more = " and more" if len(named) > _RANGES else ""
    return f"{unit}{'s' if len(numbers) > 1 else ''} {', '.join(named[:_RANGES])}{more}"
