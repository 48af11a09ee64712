"""Rule map: which rules hold in which versions, a coloured figure for each rule and version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readfirst.harness.report.rule_chart import changed
from readfirst.harness.report.visible import visible

_STEPS = (0.1, 0.3, 0.6)
"""The shares of scenarios that differ up to which the first three of five colours go."""


@dataclass(frozen=True, slots=True)
class RuleMapCell:
    """A rule in a version: what stands in the cell, its CSS class, and the same in words."""

    shown: str
    tone: str
    spoken: str


@dataclass(frozen=True, slots=True)
class RuleMapRow:
    """A rule that did not hold alike in all versions."""

    id: str
    title: str
    cells: tuple[RuleMapCell, ...]


def rule_map(data: Mapping[str, Any], classes: Sequence[str]) -> tuple[list[str], list[RuleMapRow]]:
    """Return the recorded versions and the rules of these classes that changed, of what `compatibility_data` gives.

    Rules that differ in more versions come first.
    """
    versions = [name for name, each in data["versions"].items() if each["recorded"]]
    rows = [
        RuleMapRow(
            rule_id,
            visible(rule["title"]),
            tuple(_cell(version, rule["versions"][version]) for version in versions),
        )
        for rule_id, rule in changed(data, classes)
    ]
    return versions, rows


def _cell(version: str, each: Mapping[str, Any]) -> RuleMapCell:
    holding, judged = each["holding"], each["judged"]
    spoken = f"{version}: {each['holds']}" + (f", {holding} of {judged} scenarios" if judged else "")
    match each["holds"]:
        case "yes":
            return RuleMapCell("✓", "none", spoken)
        case "partly":
            failing = 1 - holding / judged
            step = next((at for at, limit in enumerate(_STEPS, 1) if failing <= limit), len(_STEPS) + 1)
            return RuleMapCell(str(min(round(100 * holding / judged), 99)), f"wording-{step}", spoken)
        case "no":
            return RuleMapCell("0", "wording-5", spoken)
        case _:
            return RuleMapCell("–", "none", spoken)
