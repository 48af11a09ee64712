"""Convert the steps of a scenario to JSON values with escaped lines, for HTML pages and `readfirst show`."""

import json
from collections.abc import Iterator
from typing import Any

from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import compare_lines, visible, visible_lines
from readfirst.harness.report.step_text import describe_step, given_settings
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
)
from readfirst.harness.suite.scenario import (
    Clause,
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
    parts_of,
)

Block = dict[str, Any]
"""Some lines of a step's description: a `label`, and a `value` or `lines`. `more` is the number of omitted lines."""

_MAX_LINES = 60
"""Maximum number of lines of one text in a block. For further lines, only their number is shown."""
_MAX_LINE_CHARS = 400
"""Maximum characters of one line in a block."""
_MAX_DIFFERENCES = 20
"""Maximum number of differences that are shown for one verdict. For further differences, only their number is shown."""


def given_blocks(scenario: Scenario) -> list[Block]:
    """Describe the given files and permission rules of a scenario as blocks for an HTML page."""
    blocks = [_entry_block(path, entry) for path, entry in scenario.given.files.items()]
    settings = given_settings(scenario.given)
    return blocks + [_value_block(key, value, is_escaped=True) for key, value in settings]


def steps_of(scenario: Scenario) -> list[dict[str, Any]]:
    """Return a JSON object for each step of a scenario: its `kind`, a line that describes it (`head`), and its `calls`,
    or for an event its `blocks`. Each call has a label and blocks.
    """
    return [_step_value(step) for step in scenario.steps]


def expected_steps(scenario: Scenario, contract: Contract) -> list[list[list[Block]]]:
    """Return the blocks that describe the expectation of each call of each step. Empty for a missing expectation."""
    expectations = []
    for step in scenario.steps:
        stated = [part for part in parts_of(step) if isinstance(part, ToolCall) or part.expect.clauses()]
        clauses = [clause_for(scenario, part.expect, contract) for part in stated]
        expectations.append([[] if clause is None else list(clause_blocks(clause)) for clause in clauses])
    return expectations


def difference_blocks(verdict: Verdict) -> tuple[list[dict[str, Any]], int]:
    """Return the harms and differences of a verdict as JSON objects, and the number of omitted ones. An object contains
    `step` and `call` (from 0), `level`, `what`, and `lines`: pairs of a sign (`-` expected, `+` actual, a space for
    both, `?` for a remark) and an escaped text.
    """
    # Some harms are not differences: harm that the contract does as well, blind edits, and overcautious refusals.
    safe = [difference for difference in verdict.differences if difference.level == "safe"]
    reported = {(difference.step, difference.what) for difference in safe}
    harms = [
        Difference(harm.step, harm.call, "safe", harm.line, harm.before, harm.after)
        for harm in verdict.harms
        if (harm.step, harm.line) not in reported
    ]
    entries = [*harms, *verdict.differences]
    values = [
        {
            "step": entry.step,
            "call": entry.call,
            "level": entry.level,
            "what": visible(entry.label),
            "lines": [[line.sign, line.text] for line in compare_lines(entry.expected, entry.got)],
        }
        for entry in entries[:_MAX_DIFFERENCES]
    ]
    return values, len(entries) - len(values)


def _step_value(step: Step) -> dict[str, Any]:
    match step:
        case ToolCall():
            return {"kind": "call", "head": step.tool, "calls": [_call_value(step)]}
        case ParallelCalls(calls):
            head = f"{len(calls)} calls in parallel"
            return {"kind": "parallel", "head": head, "calls": [_call_value(call) for call in calls]}
        case WorldEvent():
            return {"kind": "event", "head": describe_step(step), "blocks": event_blocks(step)}
        case SessionEvent():
            return {"kind": "event", "head": describe_step(step), "blocks": []}


def _call_value(call: ToolCall) -> dict[str, Any]:
    blocks = [
        _lines_block(
            visible(name), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )
        for name, value in call.arguments.items()
    ]
    for event in call.during:
        blocks.append(_value_block("meanwhile", describe_step(event), is_escaped=True))
        blocks += event_blocks(event)
    return {"label": call.tool, "blocks": blocks}


def event_blocks(event: WorldEvent) -> list[Block]:
    """Describe the files, links and directories that an event writes, as blocks for an HTML page."""
    return [] if event.entry is None else [_entry_block(event.path, event.entry)]


def clause_blocks(clause: Clause) -> Iterator[Block]:
    """Describe the expectation of a contract for one call as blocks: refusal, answer, changes, and reminders."""
    if clause.documented:
        yield _value_block("documented", clause.documented)
    if clause.error is not None:
        yield _value_block("refused", clause.error)
    yield from _text_blocks("text", clause.text)
    for path, entry in clause.files.items():
        is_gone = _value_block(visible(path), "is gone", is_escaped=True)
        yield is_gone if entry is None else _entry_block(path, entry)
    for reminder in clause.reminders:
        yield from _text_blocks("reminder", reminder)


def _text_blocks(label: str, stated: str | TextDigest | None) -> Iterator[Block]:
    match stated:
        case str() as text:
            yield _lines_block(label, text)
        case TextDigest(sha256, lines, starts, ends):
            for name, value in (("begins", starts), ("ends", ends)):
                if value is not None:
                    yield _lines_block(f"{label} {name}", value)
            for name, part in (("lines", lines), ("sha256", sha256)):
                if part is not None:
                    yield _value_block(f"{label} {name}", str(part))
        case None:
            pass


def _entry_block(path: str, entry: Entry) -> Block:
    name = visible(path)
    match entry:
        case RegularFile(mode=mode):
            data = entry.data
            label = f"{name}, {pluralize(len(data), 'byte')}{_mode_suffix(mode)}"
            return _lines_block(label, data.decode("utf-8", "surrogateescape"))
        case FileDigest(sha256, size, mode):
            return _value_block(f"{name}, {pluralize(size, 'byte')}{_mode_suffix(mode)}", f"sha256 {sha256}")
        case Symlink(target):
            return _value_block(name, f"symbolic link to {visible(target)}", is_escaped=True)
        case HardLink(to):
            return _value_block(name, f"another name of {visible(to)}", is_escaped=True)
        case Directory(mode):
            return _value_block(name, f"directory{_mode_suffix(mode)}")
        case SpecialFile(kind):
            return _value_block(name, kind)


def _mode_suffix(mode: int | None) -> str:
    return "" if mode is None else f", mode {mode:04o}"


def _value_block(label: str, value: str, *, is_escaped: bool = False) -> Block:
    """Return a block of one line, with a label. `is_escaped` means that `value` is already escaped."""
    return {"label": label, "value": value if is_escaped else visible(value)}


def _lines_block(label: str, text: str) -> Block:
    lines = visible_lines(text)
    shown_lines = [
        line
        if len(line) <= _MAX_LINE_CHARS
        else f"{line[:_MAX_LINE_CHARS]} [{len(line) - _MAX_LINE_CHARS:,} characters]"
        for line in lines[:_MAX_LINES]
    ]
    block: Block = {"label": label, "lines": shown_lines}
    if len(lines) > _MAX_LINES:
        block["more"] = len(lines) - _MAX_LINES
    return block
