"""Write the report for a terminal: the worst failures, a table of the results at all levels, and the failing rules."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Count, Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.report import RunFacts
from readfirst.harness.report.by_rule import (
    MAX_RULE_LINES,
    RuleResult,
    RuleTally,
    by_class,
    dominant_lines,
    failing_rules,
    rule_lines,
)
from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import Line, brief_lines, failure_lines
from readfirst.harness.report.mistakes import DominantMistake, worst
from readfirst.harness.report.results import ReportSources, Results, Run, levels_shown
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


_MIN_WIDE_COLUMNS = 100
"""Minimum width of a terminal, in columns, to write each heading of the table on one line."""
_SPLIT_HEADERS = {
    "scenarios": "scena-\nrios",
    "unsupported": "unsup-\nported",
    "unspecified": "unspec-\nified",
}

_STYLES_BY_KIND = {
    "title": "bold red",
    "place": "cyan",
    "step": "bold",
    "expected": "green",
    "got": "red",
    "note": "dim",
}

BRIEF = -1
"""Value of `most_failures` for a brief report of about _MAX_BRIEF_REPORT_LINES lines."""
_MAX_BRIEF_REPORT_LINES = 40
_BRIEF_LINES = 12
"""Maximum number of lines that explain a failure in a brief report if other scenarios failed, too."""
_ONLY_FAILURE_LINES = 22
"""Maximum number of lines that explain a failure in a brief report if no other scenario failed."""
_MIN_RULE_LINES = 4

_CLOSING_TEXTS = {
    ExitCode.CONFORMANT: "conformant",
    ExitCode.NOT_CONFORMANT: "not conformant",
    ExitCode.ERROR: "error: the adapter or the environment failed, so the result is incomplete",
    ExitCode.NOTHING: "nothing was judged, so this is not a pass",
}


class TableReport:
    """Report that prints the worst failures, the table, and the failing rules at the end of a run. `most_failures` is
    the number of failures that are explained; None means all, BRIEF a report of about _MAX_BRIEF_REPORT_LINES lines.
    The shortest failing scenario of each rule is explained first, the worst class first.
    """

    def __init__(self, console: Console, facts: RunFacts, *, most_failures: int | None = BRIEF) -> None:
        self._console = console
        self._facts = facts
        self._is_brief = most_failures == BRIEF
        self._max_failures = 1 if self._is_brief else most_failures
        self._printed = 0
        self._failed: set[tuple[str, str]] = set()
        self._worst: list[Verdict] = []
        self._tallies = {contract: RuleTally(facts.rules) for contract in facts.contracts}

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Count the verdict under its rule. Store the worst unaccepted failures, which the report will explain."""
        if self._facts.rules is not None:
            self._tallies[verdict.contract].add(verdict, ruling)
        if ruling.stale or ruling.conformant or ruling.unclaimed:
            return
        self._failed.add((verdict.scenario_id, verdict.contract))
        if not self._is_brief or self._facts.rules is None:
            insort(self._worst, verdict, key=worst)
            if self._max_failures is not None:
                del self._worst[self._max_failures :]

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Print the failures, the table, outdated entries of the baseline, the failing rules, and the summary."""
        results = {contract: tally.results() for contract, tally in self._tallies.items()}
        dominant = {contract: tally.dominant() for contract, tally in self._tallies.items()}
        remaining = {
            contract: tally.results(as_if_without=each.kind)
            if (each := dominant[contract])
            else results[contract]
            for contract, tally in self._tallies.items()
        }
        mistakes = [mistake for mistake in dominant.values() if mistake is not None]
        explained = self._verdicts_to_explain(remaining, mistakes)
        for verdict in explained:
            scenario = self._facts.find(verdict.scenario_id)
            lines = failure_lines(verdict, scenario, self._facts.commands(verdict.contract))
            max_lines = _BRIEF_LINES if len(self._failed) > 1 else _ONLY_FAILURE_LINES
            self._print_lines(brief_lines(lines, max_lines) if self._is_brief else lines)
            self._print_text("")
        more = len(self._failed - {(verdict.scenario_id, verdict.contract) for verdict in explained})
        if more:
            noun = "failure" if more == 1 else "failures"
            self._print_text(f"[{more} more {noun}; --failures all explains all of them]\n", "dim")
        if summary.total.scenarios:
            self._print_table(summary, results)
        notes = [(summary.harm_sentence(), "bold")]
        notes += [(visible(line), "") for line in summary.example_lines()]
        if not interrupted:
            notes.append((visible(summary.likeness_sentence(self._facts.name, self._facts.level)), ""))
        notes += [(summary.design_sentence(), "bold"), (summary.by_hand_sentence(), "bold")]
        notes += [(visible(line), "dim") for line in summary.reason_lines()]
        for text, style in notes:
            if text:
                self._print_text(text, style)
        if any(text for text, _ in notes):
            self._print_text("")
        for contract, contract_results in remaining.items():
            if (mistake := dominant[contract]) is not None:
                self._print_lines(dominant_lines(mistake))
                self._print_text("")
            self._print_rules(contract, contract_results)
        for complaint in summary.stale:
            self._print_text(f"BASELINE {visible(complaint)}", "bold red")
        if complaint := summary.complaint():
            self._print_text(visible(complaint), "bold red")
        for line in summary.error_lines():
            self._print_text(visible(line), "bold red")
        code = summary.exit_code
        closing = "interrupted" if interrupted else _CLOSING_TEXTS[code]
        if code is ExitCode.NOTHING and summary.unjudged_suites:
            suites = " and ".join(summary.unjudged_suites)
            closing = visible(closing.replace("nothing", f"nothing of {suites}", 1))
        green = code is ExitCode.CONFORMANT and not interrupted
        self._print_text(f"{summary.sentence()}; {closing}", "bold green" if green else "bold red")

    def _verdicts_to_explain(
        self, results: Mapping[str, Sequence[RuleResult]], dominant: Sequence[DominantMistake]
    ) -> list[Verdict]:
        """Return the verdicts to explain: first an example of each dominant mistake, then the worst verdicts."""
        if self._facts.rules is None:
            return self._worst
        if self._max_failures is None:
            order = {
                (contract, result.id): number
                for contract, contract_results in results.items()
                for number, result in enumerate(contract_results)
            }
            rule_of = self._tallies[self._facts.contracts[0]].rule_of
            return sorted(
                self._worst, key=lambda verdict: (order[verdict.contract, rule_of(verdict)], verdict.length)
            )
        failing = [result for group in results.values() for result in failing_rules(group)]
        # Harm of any class comes before harmless differences.
        failing.sort(key=lambda result: result.is_overcautious or result.level != "safe")
        shortest = [result.example for result in failing if result.example is not None]
        harmful = any(not result.is_overcautious for result in failing)
        first = [mistake.shortest for mistake in dominant if not (mistake.is_overcautious and harmful)]
        chosen = {(each.scenario_id, each.contract): each for each in (*first, *shortest, *self._worst)}
        return [*chosen.values()][: self._max_failures]

    def _print_rules(self, contract: str, results: Sequence[RuleResult]) -> None:
        """Print the list of failing rules for one contract."""
        # Two lines come before the rules, and three after them.
        brief_limit = max(_MIN_RULE_LINES, _MAX_BRIEF_REPORT_LINES - self._printed - 5)
        lines = rule_lines(
            results,
            self._facts.commands(contract).run,
            width=self._console.width if self._console.is_terminal else None,
            everything=self._max_failures is None,
            max_lines=(brief_limit if self._is_brief else MAX_RULE_LINES) // len(self._facts.contracts),
        )
        self._print_lines(lines)
        if lines:
            self._print_text("")

    def _print_table(self, summary: Summary, results: Mapping[str, Sequence[RuleResult]]) -> None:
        """Print one table, with contracts as rows. For one contract, the rows are classes of rules, or families."""
        contracts = list(summary.contracts)
        several = len(contracts) > 1
        contract_text = f"{len(contracts)} contracts" if several else contracts[0]
        suite = f"; {visible(self._facts.suite)}" if self._facts.suite else ""
        self._print_text(
            f"{visible(self._facts.name)} on {visible(contract_text)}, level {self._facts.level}{suite}",
            "bold",
        )
        levels = levels_shown([self._facts])
        classes = () if several else by_class(results[contracts[0]])
        heading = "contract" if several else "class" if classes else "family"
        table = empty_table(self._console, [heading], levels, rules=bool(classes))
        families = {family: family_count for (_, family), family_count in summary.families.items()}
        rows = summary.contracts if several else {} if classes else families
        for name, count in rows.items():
            table.add_row(name_cell(name), *cells(count, levels))
        for class_result in classes:
            table.add_row(
                class_result.class_,
                ratio(class_result.holding, class_result.judged),
                *cells(class_result.count, levels),
            )
        for result in results[contracts[0]] if classes else ():
            if result.rule is None:
                table.add_row("no rule", "", *cells(result.count, levels))
        if len(table.rows) > 1:
            rules_ratio = ratio(
                sum(class_result.holding for class_result in classes),
                sum(class_result.judged for class_result in classes),
            )
            rules_cells = [rules_ratio] if classes else []
            table.add_row("all", *rules_cells, *cells(summary.total, levels), style="bold")
        if len(summary.requirements) > 1:
            for requirement in REQUIREMENTS:
                if requirement in summary.requirements:
                    row = cells(summary.requirements[requirement], levels)
                    table.add_row(f"  {requirement}", *([""] if classes else ()), *row)
        self._console.print(table, soft_wrap=False)
        self._console.print()
        self._printed += len(table.rows) + 2

    def _print_lines(self, lines: Iterable[Line]) -> None:
        for style, text in lines:
            self._print_text(text, _STYLES_BY_KIND.get(style))

    def _print_text(self, text: str, style: str | None = None) -> None:
        self._printed += 1 + text.count("\n")
        # No markup, no highlighting, no wrapping: output of tools must be printed unchanged.
        self._console.print(text, style=style, markup=False, emoji=False, highlight=False, soft_wrap=True)


def empty_table(
    console: Console, names: Sequence[str], levels: Sequence[str], *, rules: bool = False
) -> Table:
    """Return a table without rows: columns for names, for numbers of rules (with `rules`), and for scenario counts."""
    from rich.table import Table

    is_narrow = console.width < _MIN_WIDE_COLUMNS + 20 * (len(names) - 1)
    table = Table(box=None, pad_edge=False, padding=(0, 1 if is_narrow else 2, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold", vertical="bottom")
    for name in (*(["rules"] if rules else ()), "scenarios", *levels, "unsupported", "unspecified", "error"):
        header = _SPLIT_HEADERS.get(name, name) if is_narrow else name
        table.add_column(header, justify="right", overflow="fold")
    return table


def name_cell(name: str) -> Text:
    """Return a cell with a name. Markup and commands of CI systems in the name have no effect."""
    from rich.text import Text

    return Text(visible(name).replace("::", ":\\x3a"))


def ratio(holds: int, judged: int) -> Text:
    """Return a table cell such as `38/40`: 38 of 40 judged scenarios pass. A dash if no scenario was judged."""
    from rich.text import Text

    if not judged:
        return Text("-", "dim")
    return Text(f"{holds}/{judged}", "green" if holds == judged else "red")


def cells(count: Count, levels: Sequence[str]) -> list[Text]:
    """Return a row of scenario counts: all, those that pass at each level, and unjudged scenarios by status."""
    from rich.text import Text

    row = [Text(str(count.scenarios)), *(ratio(count.holds[level], count.judged) for level in levels)]
    for number, style in ((count.unsupported, "yellow"), (count.unspecified, "dim"), (count.error, "red")):
        row.append(Text(str(number), style if number else "dim"))
    return row


def print_runs(console: Console, results: Results, sources: ReportSources, most_failures: int | None) -> None:
    """Print one report for all runs of each command, then a table of all runs. None for `most_failures` means all."""
    named = zip(results.names, results.runs, strict=True)
    series = [list(group) for _, group in groupby(named, key=lambda item: (item[0], item[1].series))]
    for group in series:
        if group is not series[0]:
            console.print()
        runs = {run.contract: run for _, run in group}
        _print_series(console, group[0][0], runs, sources, most_failures)
    if len(series) > 1:
        console.print()
        levels = levels_shown(results.runs)
        table = empty_table(console, ["run", "contract", "level"], levels)
        for name, run in zip(results.names, results.runs, strict=True):
            table.add_row(name_cell(name), name_cell(run.contract), run.level, *cells(run.total, levels))
        console.print(table, soft_wrap=False)


def _print_series(
    console: Console, name: str, runs: dict[str, Run], sources: ReportSources, most_failures: int | None
) -> None:
    first = next(iter(runs.values()))
    facts = RunFacts(
        target=first.target,
        name=name,
        contracts=tuple(runs),
        level=first.level,
        scenarios=len(first.judged),
        commands=lambda contract: sources.commands(runs[contract]),
        find=sources.find,
        rules=sources.rules,
        suite=first.suite,
    )
    report, summary = TableReport(console, facts, most_failures=most_failures), Summary()
    for run in runs.values():
        for verdict, ruling in run.judged:
            summary.add(verdict, ruling)
            report.verdict(verdict, ruling)
    report.finish(summary, interrupted=first.interrupted)
