"""The table of rules in HTML pages: one row per rule, one column per run, implementation or version."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readfirst.harness.compare.level_reached import (
    Cell,
    ScenarioResult,
    Standing,
    cell_of,
    level_of,
    reach_holds_at,
    reach_of,
)
from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.report.escape import visible
from readfirst.harness.report.results import Results, Run
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule, Rules

_COLOUR_STEPS = (0.1, 0.3, 0.6)
"""Upper limits of the share of failing scenarios for the first three of five colours. The last is for all scenarios."""
_MAX_NAMED_COLUMNS = 5
"""Maximum columns of a table with names as headings; a wider table uses letters. rules.js repeats the number."""
_SPOKEN_TEXTS: Mapping[Standing, str] = {
    "yes": "holds",
    "partly": "partly",
    "no": "in none",
    "not claimed": "not claimed",
    "unknown": "unknown",
}
_MARKS: Mapping[Standing, str] = {"yes": "✓", "partly": "", "no": "✗", "not claimed": "–", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of one column: a letter, a short name, the full name, and `facts`: the contract and the level."""

    key: str
    short: str
    label: str
    facts: str = ""


@dataclass(frozen=True, slots=True)
class RuleTable:
    """The data of a table with one row per rule, grouped by class, the worst class first. `name` distinguishes the
    tables of one page. `repeat` is a command line that replays the scenarios of a cell, with RULE for the rule's id.
    """

    name: str
    columns: Sequence[Column]
    classes: Sequence[tuple[str, str, Sequence[Mapping[str, Any]]]]
    """For each class of rules: its name, its meaning, and its rows."""
    repeat: str = ""
    column_width_rem: float = 4.5
    """Width of a column in rem if the table has more than _MAX_NAMED_COLUMNS columns."""
    linked: bool = False
    """Whether the page also contains the scenarios, so that the table can link to them."""

    @property
    def min_width_rem(self) -> float:
        """Minimum width of the page in rem for a table. On a narrower page, each row is shown as a card."""
        return 21 + (9 if len(self.columns) <= _MAX_NAMED_COLUMNS else self.column_width_rem) * len(
            self.columns
        )


def run_table(results: Results, rules: Rules | None, columns: Sequence[Column]) -> RuleTable | None:
    """Return the table of rules for these runs. None if `rules` is None, or if no scenario has a rule."""
    if rules is None:
        return None
    results_by_run = [_results_by_rule(run, rules) for run in results.runs]
    judged_ids = {rule_id for run_results in results_by_run for rule_id in run_results}
    shown_rules = [rule for rule in rules if rule.id in judged_ids]
    if not shown_rules:
        return None
    classes = [
        (
            class_,
            rules.classes[class_],
            [
                rule_row(
                    rule,
                    [cell_of(results_by_rule.get(rule.id, ())) for results_by_rule in results_by_run],
                    above=[LEVELS.index(level_of(class_)) > LEVELS.index(run.level) for run in results.runs],
                )
                for rule in shown_rules
                if rule.class_ == class_
            ],
        )
        for class_ in CLASSES
    ]
    return RuleTable("runs", columns, [row_group for row_group in classes if row_group[2]], linked=True)


def _results_by_rule(run: Run, rules: Rules) -> dict[str, list[ScenarioResult]]:
    results: dict[str, list[ScenarioResult]] = {}
    for verdict, _ in run.judged:
        if verdict.rule in rules:
            level = level_of(rules[verdict.rule].class_)
            reach = reach_of(verdict)
            holds, is_unsupported = reach_holds_at(reach, level), reach == "unsupported"
            result = ScenarioResult(verdict.scenario_id, verdict.length, holds, is_unsupported)
            results.setdefault(verdict.rule, []).append(result)
    return results


def rule_row(
    rule: Rule, cells: Sequence[Cell], *, neutral: bool = False, above: Sequence[bool] = ()
) -> dict[str, Any]:
    """Return the data of one row of the table of rules. With `neutral`, failures have a neutral colour. `above` states
    for each cell whether the level of the rule was not requested. Failures in such a cell have no colour.
    """
    kind = "wording" if neutral or rule.class_ == "wording" else "harm"
    return {
        "id": rule.id,
        "title": visible(rule.title),
        "requirement": rule.requirement,
        "why": visible(rule.why),
        "cells": [
            _cell_value(cell, "" if any(above[index : index + 1]) else kind)
            for index, cell in enumerate(cells)
        ],
    }


def tone_of(kind: str, failing: float) -> str:
    """Return a colour such as `harm-3`: the kind of failure, and one of five steps for the share `failing` (0 to 1)."""
    return f"{kind}-{5 if failing == 1 else 1 + bisect_left(_COLOUR_STEPS, failing)}"


def _cell_value(cell: Cell, kind: str) -> dict[str, str]:
    """Return the data of one cell, with the colour of the failure `kind`. Empty if the cell shows no failure."""
    counts = {"yes": str(cell.judged), "partly": f"{cell.holding}/{cell.judged}", "no": f"0/{cell.judged}"}
    tone = "good" if cell.standing == "yes" else "quiet"
    if cell.standing in ("partly", "no"):
        tone = tone_of(kind, 1 - cell.holding / cell.judged) if kind else "above"
    return {
        "standing": cell.standing,
        "mark": _MARKS[cell.standing],
        "spoken": _SPOKEN_TEXTS[cell.standing],
        "count": counts.get(cell.standing, ""),
        "percent": str(min(round(100 * cell.holding / cell.judged), 99)) if cell.judged else "",
        "tone": tone,
        "shortest": visible(cell.shortest),
        "since": cell.since,
    }
