"""Failure: the text that explains one failed verdict; the command line and pytest print the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from harness.scenario import ParallelCalls, Position, Scenario, Step, ToolCall, WorldEvent
from harness.verdict import Difference, Verdict
from harness.visible import compare_lines, visible

__all__ = ["Line", "describe_step", "failure_lines", "failure_text"]

Line = tuple[str, str]
"""A style (`title`, `place`, `step`, `expected`, `got`, `note` or empty) and the text of one line."""

MOST_DIFFERENCES = 8
"""Differences of one scenario that are shown before the rest is counted instead."""
WIDEST_ARGUMENT = 120
"""Characters of one call argument that are shown."""


def failure_text(verdict: Verdict, scenario: Scenario | None, command: str) -> str:
    """Return the lines of `failure_lines` as one text, without a newline at the end."""
    return "\n".join(text for _, text in failure_lines(verdict, scenario, command))


def failure_lines(verdict: Verdict, scenario: Scenario | None, command: str) -> list[Line]:
    """Explain a failed or broken verdict: where, which step, expected and got, whose fault, how to repeat it.

    `command`, with the scenario's id after it, repeats the replay. Differences above the level asked for are
    left out. Control characters are written as escapes, so the lines are exact and safe for any terminal.
    """
    word = "BROKEN" if verdict.status == "broken" else "FAILED"
    lines: list[Line] = [
        ("title", f"{word} {verdict.scenario_id} ({verdict.contract}, level {verdict.level})")
    ]
    if scenario is not None:
        lines.append(("", f"  {visible(scenario.title)}"))
    asked = _asked(verdict)
    by_step = [list(group) for _, group in groupby(asked[:MOST_DIFFERENCES], key=lambda d: (d.step, d.call))]
    for group in by_step:
        lines += _place(scenario, group[0])
        for difference in group:
            lines += _difference(difference, verdict)
    if len(asked) > MOST_DIFFERENCES:
        lines.append(("note", f"  [{len(asked) - MOST_DIFFERENCES} more differences]"))
    if verdict.status == "broken":
        lines += [("got", f"  {visible(line)}") for line in verdict.reason.splitlines() or [""]]
    elif verdict.reason and not asked:
        lines.append(("got", f"  {visible(verdict.reason)}"))
    blame = verdict.blame or (asked[0].blame if asked else None)
    if blame:
        lines.append(("note", f"  blame: {blame}"))
    lines.append(("note", f"  reproduce: {command} {verdict.scenario_id}"))
    return lines


def _asked(verdict: Verdict) -> list[Difference]:
    from harness.verdict import LEVELS

    upto = LEVELS.index(verdict.level)
    return [difference for difference in verdict.differences if LEVELS.index(difference.level) <= upto]


def _place(scenario: Scenario | None, difference: Difference) -> Iterator[Line]:
    step = scenario.steps[difference.step] if scenario and difference.step < len(scenario.steps) else None
    position = difference.position or (step.position if step is not None else None)
    if position is not None:
        yield ("place", f"  {_shown(position)}")
    number = f"step {difference.step + 1}"
    if scenario is not None:
        number += f" of {len(scenario.steps)}"
    if step is not None:
        number += f": {_describe(step, difference.call)}"
    yield ("step", f"  {number}")


def _shown(position: Position) -> str:
    """Return the position with a path relative to the current directory, where it is below it."""
    try:
        file = position.file.relative_to(Path.cwd())
    except ValueError:
        file = position.file
    return f"{file}:{position.line}:{position.column}"


def describe_step(step: Step) -> str:
    """Return one line that says what a step does, with control characters visible."""
    match step:
        case ToolCall():
            return _describe_call(step)
        case ParallelCalls(calls=calls):
            return f"{len(calls)} calls in parallel"
        case WorldEvent(kind="rename", path=path, to=to):
            return f"rename {visible(path)} to {visible(to or '')}"
        case WorldEvent(kind="chmod", path=path, mode=mode) if mode is not None:
            return f"chmod {visible(path)} to {mode:04o}"
        case WorldEvent(kind=kind, path=path, mtime=int(shift)):
            return f"{kind} {visible(path)}, mtime {shift:+d}s"
        case WorldEvent(kind=kind, path=path):
            return f"{kind} {visible(path)}"


def _describe(step: Step, call: int) -> str:
    if isinstance(step, ParallelCalls) and call < len(step.calls):
        return f"call {call + 1} of {len(step.calls)} in parallel: {_describe_call(step.calls[call])}"
    return describe_step(step)


def _describe_call(call: ToolCall) -> str:
    return f"{call.tool} {_arguments(call.arguments)}"


def _arguments(arguments: Mapping[str, Any]) -> str:
    parts = []
    for name, value in arguments.items():
        text = visible(json.dumps(value, ensure_ascii=False)).replace("\\\\", "\\")
        if len(text) > WIDEST_ARGUMENT:
            text = f"{text[:WIDEST_ARGUMENT]} [{len(text) - WIDEST_ARGUMENT:,} characters]"
        parts.append(f"{visible(name)}: {text}")
    return "{" + ", ".join(parts) + "}"


def _difference(difference: Difference, verdict: Verdict) -> Iterator[Line]:
    suffix = "" if difference.level == verdict.level else f" (level {difference.level})"
    if _is_short(difference.expected) and _is_short(difference.got):
        yield ("step", f"    {visible(difference.what)}{suffix}")
        yield ("expected", f"      expected {visible(difference.expected)}")
        yield ("got", f"      got      {visible(difference.got)}")
        return
    yield ("step", f"    {visible(difference.what)}{suffix}, - expected, + got")
    styles = {"-": "expected", "+": "got", "?": "note", " ": ""}
    for line in compare_lines(difference.expected, difference.got):
        sign = " " if line.sign == "?" else line.sign
        yield (styles[line.sign], f"      {sign} {line.text}")


def _is_short(text: str) -> bool:
    return len(text) <= 60 and "\n" not in text
