"""Failing rules: the list that a run ends with, one line per rule, the worst first."""

from collections import Counter
from collections.abc import Iterator, Sequence

from readfirst.harness.report.by_rule import RuleResult
from readfirst.harness.report.failure import Line
from readfirst.harness.report.visible import visible

MOST_LINES = 30
"""Lines of rules that are shown, so that hundreds of failures fit on one screen; rules of safety all are."""

NO_RULE = "no rule"
"""The heading of scenarios that belong to none."""
_ALONE = {"reason": "in reasons alone", "text": "in words alone", "verbatim": "in bytes of the answer alone"}
_GAP = "  "


def failing_rules(results: Sequence[RuleResult]) -> list[RuleResult]:
    """Return the rules with a failing scenario that no baseline accepts, in their order."""
    return [result for result in results if result.level is not None]


def group_of(result: RuleResult) -> str:
    """Return what a failing rule is listed under: its class, or that nothing but reasons or words differs."""
    if result.level in _ALONE:
        return _ALONE[result.level]
    return result.rule.class_ if result.rule is not None else NO_RULE


def rule_lines(
    results: Sequence[RuleResult],
    command: str,
    *,
    width: int | None = None,
    everything: bool = False,
    most: int = MOST_LINES,
) -> list[Line]:
    """List the failing rules: how many scenarios fail of how many, the title, the shortest scenario that fails.

    Counted are the scenarios that fail at the lowest level at which any of the rule does. `command`, with the id of
    the shortest of them after it, repeats its replay. In `width` columns (None: as many as needed) the id goes below
    the title where there is no room beside it. Rules after the `most` lines are counted instead, unless `everything`
    is asked for.
    """
    failing = failing_rules(results)
    if not failing:
        return []
    wide = max(len(_count(result)) for result in failing)
    longest = max(len(_title(result)) for result in failing)
    ids = max(len(_shortest(result)) for result in failing)
    beside = width is None or len(_GAP * 3) + wide + longest + ids <= width
    shown = failing if everything else _shown(failing, most if beside else most // 2)
    lines: list[Line] = [("title", f"Rules that do not hold, worst first: {len(failing)}")]
    lines.append(("note", f"repeat one: {command} SCENARIO"))
    before = ""
    for result in shown:
        if group_of(result) != before:
            before = group_of(result)
            lines.append(("step", before))
        line = f"{_GAP}{_count(result).rjust(wide)}{_GAP}{_title(result)}"
        if beside:
            lines.append(("", f"{line.ljust(len(_GAP * 2) + wide + longest)}{_GAP}{_shortest(result)}"))
        else:
            lines += [("", line), ("note", f"{_GAP}{' ' * wide}{_GAP}{_shortest(result)}")]
    lines.extend(_rest(failing[len(shown) :]))
    return lines


def _shown(failing: Sequence[RuleResult], most: int) -> Sequence[RuleResult]:
    safety = sum(group_of(result) == "safety" for result in failing)
    return failing[: max(most, safety, 1)]


def _rest(left: Sequence[RuleResult]) -> Iterator[Line]:
    if left:
        groups = Counter(map(group_of, left))
        more_rules = ", ".join(
            f"{count} {name}" if name.startswith("in ") else f"{count} of {name}"
            for name, count in groups.items()
        )
        yield ("note", f"[{more_rules} more; --failures all lists them]")


def _count(result: RuleResult) -> str:
    return f"{result.fails}/{result.judged}"


def rule_title(result: RuleResult) -> str:
    """Return what the rule claims, as it is written."""
    return result.rule.title if result.rule is not None else "Scenarios that belong to no rule"


def _title(result: RuleResult) -> str:
    accepted = f" ({result.accepted} accepted)" if result.accepted else ""
    return visible(rule_title(result)) + accepted


def _shortest(result: RuleResult) -> str:
    return visible(result.shortest.scenario_id) if result.shortest is not None else ""
