"""Terminal: recorded runs for people; each as it was printed when it was made, and several side by side."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from readfirst.harness.compare.summary import Summary
from readfirst.harness.report import Commands, RunFacts
from readfirst.harness.report.results import Results, Run, Sources, levels_shown
from readfirst.harness.report.table import TableReport, cells, empty_table, name_cell

if TYPE_CHECKING:
    from rich.console import Console


def print_runs(console: Console, results: Results, sources: Sources, most_failures: int | None) -> None:
    """Print the runs; those of one series, which differ in their contracts, as one.

    `most_failures` of each are explained, None: all.
    """
    named = zip(results.names, results.runs, strict=True)
    series = [list(group) for _, group in groupby(named, key=lambda each: (each[0], each[1].series))]
    for group in series:
        if group is not series[0]:
            console.print()
        runs = {run.contract: run for _, run in group}
        _print_series(console, group[0][0], runs, sources, most_failures)
    if len(series) > 1:
        console.print()
        _print_side_by_side(console, results)


def _print_series(
    console: Console, name: str, runs: dict[str, Run], sources: Sources, most: int | None
) -> None:
    first = next(iter(runs.values()))

    def commands(contract: str) -> Commands:
        return sources.commands(runs[contract])

    facts = RunFacts(
        target=first.target,
        name=name,
        contracts=tuple(runs),
        level=first.level,
        scenarios=len(first.judged),
        commands=commands,
        find=sources.find,
        rules=sources.rules,
    )
    report, summary = TableReport(console, facts, most_failures=most), Summary()
    for run in runs.values():
        for verdict, ruling in run.judged:
            summary.add(verdict, ruling)
            report.verdict(verdict, ruling)
    report.finish(summary, interrupted=first.interrupted)


def _print_side_by_side(console: Console, results: Results) -> None:
    levels = levels_shown(results.runs)
    table = empty_table(console, ["run", "contract", "level"], levels)
    for name, run in zip(results.names, results.runs, strict=True):
        table.add_row(name_cell(name), name_cell(run.contract), run.level, *cells(run.total, levels))
    console.print(table, soft_wrap=False)
