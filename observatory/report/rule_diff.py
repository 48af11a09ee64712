"""Compare two implementations, or two versions of the product, rule by rule."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readfirst.harness.compare.level_reached import ScenarioResult, cell_of
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.markdown_escape import bullets, code, document
from readfirst.harness.suite.rule_classes import CLASSES


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule whose results differ between two versions or implementations, called `before` and `after`."""

    rule: str
    title: str
    class_: str
    before: str  # `yes`, `partly`, `no` or `not claimed`
    after: str
    holding: tuple[int, int]  # numbers of scenarios that pass before and after
    judged: int  # number of scenarios that were judged both times
    scenario: str  # the shortest scenario that fails after, or empty

    @property
    def gain(self) -> int:
        """The increase in the number of scenarios that satisfy the rule. Negative for a decrease."""
        return self.holding[1] - self.holding[0]


def common_cells(
    before: Mapping[str, Iterable[ScenarioResult]], after: Mapping[str, Iterable[ScenarioResult]]
) -> dict[str, dict[str, Any]]:
    """Return the rules with more or fewer passing scenarios `after` than `before`. Counts scenarios judged in both."""
    found = {}
    for rule in before:
        one, other = (
            {each.scenario_id: each for each in side[rule] if each.holds is not None}
            for side in (before, after)
        )
        cells = [cell_of(side[name] for name in one.keys() & other.keys()) for side in (one, other)]
        if cells[0].holding != cells[1].holding:
            found[rule] = {
                "holding": [each.holding for each in cells],
                "judged": cells[0].judged,
                **({"shortest": cells[1].shortest} if cells[1].shortest else {}),
            }
    return found


def rule_changes(
    table: Mapping[str, Any],
    before: str,
    after: str,
    common: Mapping[str, Mapping[str, Any]],
    of: str = "implementations",
) -> list[RuleChange]:
    """Return the rules that differ between `before` and `after`: two names of implementations or versions in `table`.
    `common` is a result of `common_cells`. Raises KeyError for an unknown name.
    """
    found = []
    for rule, fields in table["rules"].items():
        one, other = (fields[of][name]["holds"] for name in (before, after))
        cells = common.get(rule, {"holding": (0, 0), "judged": 0})
        was, now = cells["holding"]
        if was != now or (one != other and "not claimed" in (one, other)):
            named = rule, fields["title"], fields["class"]
            shown = (was, now), cells["judged"], cells.get("shortest", "")
            found.append(RuleChange(*named, one, other, *shown))
    return found


def change_page(changes: Sequence[RuleChange], before: str, after: str) -> str:
    """Return a page of the changed rules: those that hold in fewer scenarios, then those in more, then all others."""
    rules = pluralize(len(changes), "rule") if changes else "no rule"
    blocks = [f"# {before} → {after}: {rules} changed"]
    ordered = sorted(changes, key=lambda each: CLASSES.index(each.class_))
    groups = (
        ("Worse", [each for each in ordered if each.gain < 0]),
        ("Better", [each for each in ordered if each.gain > 0]),
        ("Otherwise", [each for each in ordered if each.gain == 0]),
    )
    for heading, group in groups:
        lines = []
        for each in group:
            was, now = (f"{holding}/{each.judged}" for holding in each.holding)
            sides = f"{each.before} ({was}) → {each.after} ({now})"
            shown = f", for example {code(each.scenario)}" if each.scenario and each.gain <= 0 else ""
            lines.append(f"{each.class_}, {code(each.rule)}: {sides}{shown}. {each.title}.")
        blocks += [f"## {heading}", bullets(lines)] if lines else []
    return document(blocks)
