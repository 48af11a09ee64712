"""Markdown: a summary of runs for a forge's pages: levels by run, families that fall short, the worst failures."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence

from harness.report import Commands
from harness.report.failure import failure_text
from harness.report.harm import harm
from harness.report.results import Results, Run, levels_shown
from harness.scenario import Scenario
from harness.summary import Count
from harness.verdict import Level
from harness.visible import visible

__all__ = ["page"]

MOST_FAILURES = 20
"""Failures of one run that are explained before the rest is counted instead."""
WIDEST = 4000
"""Characters of one explanation; a step summary holds one megabyte."""


def page(
    results: Results, find: Callable[[str], Scenario | None], commands: Callable[[Run], Commands]
) -> str:
    """Return the page. What a scenario or a tool says stands in fences and entities, never as markup."""
    return "\n".join(_lines(results, find, commands)) + "\n"


def _lines(
    results: Results, find: Callable[[str], Scenario | None], commands: Callable[[Run], Commands]
) -> Iterator[str]:
    levels = levels_shown(results.runs)
    yield "# Conformance of file tools"
    yield ""
    header = ["target", "contract", "level", "result", *levels, "unsupported", "unspecified", "broken"]
    yield from _table(
        header,
        [_run(run, name, levels) for run, name in zip(results.runs, results.names, strict=True)],
        first_number=4,
    )
    for run, label in zip(results.runs, results.labels(), strict=True):
        short = [name for name in results.families if _falls_short(run.family(name), levels, run)]
        if short:
            yield ""
            yield f"## {_escaped(label)}"
            yield ""
            rows = [[_escaped(name), *_cells(run.family(name), levels)] for name in short]
            yield from _table(["family", *levels, "broken"], rows, first_number=1)
            yield from _failures(run, find, commands(run))
        for told in run.summary.stale:
            yield ""
            yield f"Out of date in the baseline: {_escaped(told)}"


def _run(run: Run, name: str, levels: Sequence[Level]) -> list[str]:
    total = run.total
    result = "conformant" if run.conformant else "**not conformant**"
    if run.interrupted:
        result = "**interrupted**"
    elif run.summary.exit_code == 5:
        result = "nothing judged"
    if total.accepted:
        result += f", {total.accepted} accepted"
    numbers = [str(number) for number in (total.unsupported, total.unspecified)]
    *cells, broken = _cells(total, levels)
    return [_escaped(name), _escaped(run.contract), run.level, result, *cells, *numbers, broken]


def _cells(count: Count, levels: Sequence[Level]) -> list[str]:
    if not count.judged:
        return [*("-" for _ in levels), str(count.broken)]
    return [*(f"{count.holds[level]}/{count.judged}" for level in levels), str(count.broken)]


def _falls_short(count: Count, levels: Sequence[Level], run: Run) -> bool:
    asked = [level for level in levels if level != "verbatim" or run.level == level]
    return any(count.holds[level] != count.judged for level in asked)


def _failures(run: Run, find: Callable[[str], Scenario | None], commands: Commands) -> Iterator[str]:
    failing = [
        verdict
        for verdict, ruling in run.judged
        if verdict.status in ("failed", "broken") and not ruling.accepted
    ]
    if not failing:
        return
    yield ""
    yield f"{len(failing)} failure{'' if len(failing) == 1 else 's'} at the level {run.level}:"
    for verdict in sorted(failing, key=harm)[:MOST_FAILURES]:
        text = failure_text(verdict, find(verdict.scenario_id), commands)
        if len(text) > WIDEST:
            text = f"{text[:WIDEST]}\n[{len(text) - WIDEST:,} more characters]"
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        yield ""
        yield f"<details><summary>{_escaped(verdict.scenario_id)}</summary>"
        yield ""
        yield f"{fence}text"
        yield from text.split("\n")
        yield fence
        yield ""
        yield "</details>"
    if len(failing) > MOST_FAILURES:
        yield ""
        yield f"{len(failing) - MOST_FAILURES} more failures, which do less harm, are not shown."


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], first_number: int) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    marks = ["---" if place < first_number else "---:" for place in range(len(header))]
    yield f"| {' | '.join(marks)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _escaped(text: str) -> str:
    """Return a text that means itself in Markdown, also in a table."""
    return re.sub(
        r"[\\`*_\[\]|~$@#]", lambda found: f"&#{ord(found[0])};", html.escape(visible(text), quote=False)
    )
