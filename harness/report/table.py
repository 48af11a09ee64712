"""Table: the report for people; failures as they come, then the three levels side by side per family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.baseline import Ruling
from harness.report import RunFacts
from harness.report.failure import failure_lines
from harness.summary import Count, ExitCode, Summary
from harness.verdict import Verdict
from harness.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["LEVELS_SHOWN", "TableReport"]

LEVELS_SHOWN = ("effects", "reason", "text")
"""Always these three: safe but differently worded is not the same as unsafe."""

_WIDE = 100
"""Columns that a table with thousands of scenarios needs; with less, headers are split."""
_NARROW = {"scenarios": "scena-\nrios", "unsupported": "unsup-\nported", "unspecified": "unspec-\nified"}

_STYLES = {
    "title": "bold red",
    "place": "cyan",
    "step": "bold",
    "expected": "green",
    "got": "red",
    "note": "dim",
}

_CLOSING = {
    ExitCode.CONFORMANT: "conformant",
    ExitCode.NOT_CONFORMANT: "not conformant",
    ExitCode.BROKEN: "broken: the adapter or the environment failed, so the result is incomplete",
    ExitCode.NOTHING: "nothing was judged, so this is not a pass",
}


class TableReport:
    """Prints failures at once, up to `most_failures` of them, and the table at the end."""

    def __init__(self, console: Console, facts: RunFacts, *, most_failures: int | None = 20) -> None:
        self._console = console
        self._facts = facts
        self._most = most_failures
        self._failures = 0

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Print an unaccepted failure."""
        if ruling.stale or ruling.conformant:
            return
        self._failures += 1
        if self._most is not None and self._failures > self._most:
            return
        scenario = self._facts.find(verdict.scenario_id)
        for style, text in failure_lines(verdict, scenario, self._facts.command(verdict.contract)):
            self._print(text, _STYLES.get(style))
        self._print("")

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Print the table, what is out of date in the baseline, and the summary line."""
        if self._most is not None and self._failures > self._most:
            more = self._failures - self._most
            self._print(
                f"[{more} more failure{'' if more == 1 else 's'}; --failures all shows all of them]\n", "dim"
            )
        for complaint in summary.stale:
            self._print(f"BASELINE {visible(complaint)}", "bold red")
        if summary.total.scenarios:
            for contract in summary.contracts:
                self._table(summary, contract)
        code = summary.exit_code
        closing = "interrupted" if interrupted else _CLOSING[code]
        green = code is ExitCode.CONFORMANT and not interrupted
        self._print(f"{summary.sentence()}; {closing}", "bold green" if green else "bold red")

    def _table(self, summary: Summary, contract: str) -> None:
        from rich.table import Table

        title = f"{self._facts.target} on {contract}, level {self._facts.level}"
        self._print(title, "bold")
        narrow = self._console.width < _WIDE
        table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0))
        table.add_column("family", overflow="fold", vertical="bottom")
        levels = [*LEVELS_SHOWN, *(["verbatim"] if self._facts.level == "verbatim" else [])]
        for name in ("scenarios", *levels, "unsupported", "unspecified", "broken"):
            header = _NARROW.get(name, name) if narrow else name
            table.add_column(header, justify="right", overflow="fold")
        rows = {family: count for (name, family), count in summary.families.items() if name == contract}
        for family, count in rows.items():
            table.add_row(family, *_cells(count, levels))
        if len(rows) > 1:
            table.add_row("all", *_cells(_sum(list(rows.values())), levels), style="bold")
        self._console.print(table, soft_wrap=False)
        self._console.print()

    def _print(self, text: str, style: str | None = None) -> None:
        # No markup, no highlighting, no wrapping: what a tool said must come out as it is.
        self._console.print(text, style=style, markup=False, emoji=False, highlight=False, soft_wrap=True)


def _cells(count: Count, levels: Sequence[str]) -> list[str]:
    cells = [str(count.scenarios)]
    for level in levels:
        holds = count.holds[level]
        if not count.judged:
            cells.append("[dim]-[/dim]")
        else:
            style = "green" if holds == count.judged else "red"
            cells.append(f"[{style}]{holds}/{count.judged}[/{style}]")
    for number, style in ((count.unsupported, "yellow"), (count.unspecified, "dim"), (count.broken, "red")):
        cells.append(f"[{style}]{number}[/{style}]" if number else "[dim]0[/dim]")
    return cells


def _sum(counts: list[Count]) -> Count:
    total = Count()
    for count in counts:
        total.scenarios += count.scenarios
        total.judged += count.judged
        total.broken += count.broken
        total.unsupported += count.unsupported
        total.unspecified += count.unspecified
        total.holds.update(count.holds)
    return total
