"""Explain a failed verdict. The command line and pytest use the same explanation."""

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import readfirst
from readfirst.harness.compare.verdict import Difference, Verdict, up_to
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report import Commands
from readfirst.harness.report.escape import compare_lines, visible, visible_command, visible_lines
from readfirst.harness.report.step_text import brief_step, given_lines
from readfirst.harness.suite.scenario import Scenario, SessionEvent, WorldEvent
from readfirst.harness.yaml_io.finding import Position


def short_path(path: Path) -> str:
    """Return the path relative to the current directory, or the absolute path if it is shorter."""
    try:
        absolute = os.path.abspath(path)  # noqa: PTH100 - links stay as they were written
        relative = os.path.relpath(absolute)
    except (OSError, ValueError):  # the current directory is gone, or on another drive
        return str(path)
    return relative if len(relative) < len(absolute) else absolute


def format_position(position: Position) -> str:
    """Return the position of an error as `file:line:column`, with the file as in `short_path`. The path of a bundled
    file starts with `fixtures/` if the file is not below the current directory.
    """
    from readfirst.harness.suite.suite import default_root

    path, root = short_path(position.file), default_root().resolve()
    try:
        file = position.file.resolve()
    except (OSError, ValueError):  # no file can have this path
        return f"{path}:{position.line}:{position.column}"
    is_installed = root.is_relative_to(Path(readfirst.__file__).parent.resolve())
    if file.is_relative_to(root) and (is_installed or path.startswith(("../", "/"))):
        path = str(file.relative_to(root.parent))
    return f"{path}:{position.line}:{position.column}"


Line = tuple[str, str]
"""One line of a report: its style (`title`, `place`, `step`, `expected`, `got`, `note` or empty) and its text."""

_MAX_DIFFERENCES = 8
"""Maximum differences that an explanation shows. For further differences, only their number is shown."""
_MAX_ERROR_LINES = 60
"""Maximum number of lines that are shown from an error message. For further lines, only their number is shown."""
_MAX_UNCHANGED_STEPS = 6
"""Maximum steps without a difference that an explanation shows. For further steps, only their number is shown."""
_MAX_HARM_LINES = 6
"""Maximum number of lines that are shown from a file before a harm, and from the file after the harm."""
_MAX_BRIEF_CHARS = 60
"""Maximum characters of each value, expected and actual, if a failure is described in one line."""


def failure_text(verdict: Verdict, scenario: Scenario | None, commands: Commands) -> str:
    """Return the lines of `failure_lines`, which explain a failed verdict, as one text without a newline at the end."""
    return "\n".join(text for _, text in failure_lines(verdict, scenario, commands))


def brief(verdict: Verdict) -> str:
    """Return the first harm, difference or error reason of a failed verdict in one line. Empty without a failure."""
    requested = _requested_differences(verdict)
    if verdict.status == "error" or not requested:
        return visible(verdict.reason.partition("\n")[0])
    first = next((difference for difference in requested if difference.level == "safe"), requested[0])
    expected, actual = visible_lines(first.expected), visible_lines(first.got)
    shorter = min(len(expected), len(actual))
    line_number = next((n for n in range(shorter) if expected[n] != actual[n]), shorter)

    def shorten_line(line: str) -> str:
        cut = line if len(line) <= _MAX_BRIEF_CHARS else f"{line[:_MAX_BRIEF_CHARS]}…"
        return f'"{cut}"' if cut.startswith(" ") or not cut else cut

    sides = (
        shorten_line(lines[line_number]) if line_number < len(lines) else "nothing more"
        for lines in (expected, actual)
    )
    if first.level == "safe":
        return f"step {first.step + 1}: {visible(first.what)}"
    what = "" if first.what == "refused" else f"{visible(first.label)}: "
    return "step {}: {}expected {}, got {}".format(first.step + 1, what, *sides)


def failure_lines(verdict: Verdict, scenario: Scenario | None, commands: Commands) -> list[Line]:
    """Explain a failed verdict or an error: the given files, the steps, the differences, the part of the system to
    blame, and command lines to show and replay the scenario. Differences above the requested level are omitted. Control
    characters are escaped.
    """
    word = "ERROR" if verdict.status == "error" else "FAILED"
    requirement = f"{verdict.requirement}, " if verdict.requirement else ""
    scenario_id, contract = visible(verdict.scenario_id), visible(verdict.contract)
    by_hand = ", expected by hand" if verdict.by_hand else ""
    title = f"{word} {scenario_id} ({contract}, {requirement}level {verdict.level}{by_hand})"
    lines: list[Line] = [("title", title)]
    requested = _requested_differences(verdict)
    if scenario is not None:
        lines.append(("", f"  {visible(scenario.title)}"))
        lines += [("note", f"  given {reasons}") for reasons in given_lines(scenario.given)]
    lines += _step_lines(verdict, scenario, requested[:_MAX_DIFFERENCES])
    if len(requested) > _MAX_DIFFERENCES:
        lines.append(("note", f"  [{len(requested) - _MAX_DIFFERENCES} more differences]"))
    if verdict.status == "error":
        reasons = verdict.reason.splitlines() or [""]
        lines += [("got", f"  {visible(line)}") for line in reasons[:_MAX_ERROR_LINES]]
        if len(reasons) > _MAX_ERROR_LINES:
            lines.append(("note", f"  [{len(reasons) - _MAX_ERROR_LINES:,} more lines]"))
    elif verdict.reason and not requested:
        lines.append(("got", f"  {visible(verdict.reason)}"))
    blame = verdict.blame or (requested[0].blame if requested else None)
    if blame:
        or_expectation = ", or the expectation, which was written by hand" if verdict.by_hand else ""
        lines.append(("note", f"  blame: {blame}{or_expectation}"))
    lines.append(("note", f"  scenario: {commands.show} {visible_command([verdict.scenario_id])}"))
    lines.append(("note", f"  reproduce: {commands.run} {visible_command([verdict.scenario_id])}"))
    return lines


def brief_lines(lines: list[Line], max_lines: int) -> list[Line]:
    """Shorten an explanation to `max_lines` lines. Given files and steps without differences are removed first. The
    last three lines are always kept.
    """
    head, last = lines[:-3], lines[-3:]
    max_lines -= len(last)
    while len(head) > max_lines and (dropped := next((line for line in head if line[0] == "note"), None)):
        head.remove(dropped)
    if len(head) > max_lines:
        omitted = len(head) - max_lines + 1
        head = [*head[: max_lines - 1], ("note", f"    [{pluralize(omitted, 'line')} more]")]
    return [*head, *last]


def _requested_differences(verdict: Verdict) -> list[Difference]:
    return [difference for difference in verdict.differences if difference.level in up_to(verdict.level)]


def _step_lines(verdict: Verdict, scenario: Scenario | None, differences: list[Difference]) -> Iterator[Line]:
    """Yield all details of each step with differences, and one line about each earlier step without differences."""
    steps = scenario.steps if scenario is not None else ()
    by_step = {
        step: list(group) for step, group in groupby(differences, key=lambda difference: difference.step)
    }
    last = max(by_step, default=-1)
    if verdict.status == "error":  # in the step after the answered ones
        calls = [index for index, step in enumerate(steps) if not isinstance(step, WorldEvent | SessionEvent)]
        last = max(last, calls[verdict.steps] if verdict.steps < len(calls) else len(steps) - 1)
    unchanged = [number for number in range(last + 1) if number not in by_step and number < len(steps)]
    shown_steps = set(unchanged[-_MAX_UNCHANGED_STEPS:])
    if len(unchanged) > len(shown_steps):
        yield ("note", f"  [{len(unchanged) - len(shown_steps)} more steps before]")
    total = f" of {len(steps)}" if steps else ""
    for number in sorted({*by_step, *shown_steps}):
        step = steps[number] if number < len(steps) else None
        if number in shown_steps and step is not None:
            yield ("note", f"  step {number + 1}{total}: {brief_step(step)}")
        for call, group in groupby(by_step.get(number, ()), key=lambda each: each.call):
            group_differences = list(group)
            position = group_differences[0].position or (step.position if step is not None else None)
            if position is not None:
                yield ("place", f"  {visible(format_position(position))}")
            description = f": {brief_step(step, call)}" if step is not None else ""
            yield ("step", f"  step {number + 1}{total}{description}")
            for difference in group_differences:
                yield from _difference_lines(difference, verdict)


def _lines_with_ends(text: str) -> list[str]:
    """Return the escaped lines of a text. If the text contains `\\r`, each line also shows its line ending."""
    lines = visible_lines(text)
    return [*(f"{line}\\n" for line in lines[:-1]), *lines[-1:]] if "\r" in text else lines


def _reason_for_loss(harm_difference: Difference, verdict: Verdict) -> str:
    """Explain why a loss of lines is harm although the contract's version loses the lines, too: an earlier answer of
    the version showed these lines to the session. Empty without such an answer.
    """
    step, call, line = harm_difference.step, harm_difference.call, harm_difference.what
    harms = (harm for harm in verdict.harms if (harm.step, harm.call, harm.line) == (step, call, line))
    names = {f"shown {harm.path}" for harm in harms if harm.kind == "lost"}
    for difference in verdict.differences:
        if difference.what in names and difference.step < step:
            contract_shows = (
                f"the contract's answer to step {difference.step + 1} shows {difference.expected}"
            )
            return f"{contract_shows}, this implementation's shows {difference.got}"
    return ""


def _difference_lines(difference: Difference, verdict: Verdict) -> Iterator[Line]:
    suffix = "" if difference.level in ("safe", verdict.level) else f" (level {difference.level})"
    if difference.level == "safe":
        yield ("got", f"    {visible(difference.what)}")
        if reason := _reason_for_loss(difference, verdict):
            yield ("", f"      {reason}")
        sides = (("expected", "was", difference.expected), ("got", "is now", difference.got))
        for style, label, text in sides if difference.expected or difference.got else ():
            for number, shown_line in enumerate(_lines_with_ends(text)[:_MAX_HARM_LINES] or [""]):
                yield (style, f"      {'' if number else label:6} {shown_line}")
        return
    what = visible(difference.label)
    if all(len(text) <= 60 and "\n" not in text for text in (difference.expected, difference.got)):
        yield ("step", f"    {what}{suffix}")
        yield ("expected", f"      expected {visible(difference.expected)}")
        yield ("got", f"      got      {visible(difference.got)}")
        return
    yield ("step", f"    {what}{suffix}, - expected, + got")
    styles = {"-": "expected", "+": "got", "?": "note", " ": ""}
    for line in compare_lines(difference.expected, difference.got):
        sign = " " if line.sign == "?" else line.sign
        yield (styles[line.sign], f"      {sign} {line.text}")
