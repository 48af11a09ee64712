"""Group the verdicts of one run by rule, and write the list of failing rules for the end of a report."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import itemgetter

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.level_reached import Standing, standing
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.report.failure import Line, brief
from readfirst.harness.report.mistakes import (
    OVERCAUTIOUS,
    DominantMistake,
    Failure,
    RankedVerdict,
    failure_of,
    find_dominant_mistake,
    worst,
)
from readfirst.harness.report.results import JudgedScenario
from readfirst.harness.suite.rule_classes import CLASSES, RuleClass
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS, is_generated


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The results of the scenarios of one rule, for reports."""

    rule: Rule | None
    """None for scenarios without a known rule."""
    count: Count
    level: Level | None = None
    """The lowest level with a failure that the baseline does not accept. None without such a failure."""
    failing_scenarios: int = 0
    """Number of scenarios that fail at this level."""
    example: Verdict | None = None
    """The failure that reports show: the shortest of the worst failures with the most frequent mistake."""
    is_overcautious: bool = False
    """Whether all failures are unnecessary refusals."""

    @property
    def id(self) -> str:
        """The id of the rule. Empty for scenarios without a known rule."""
        return self.rule.id if self.rule is not None else ""

    @property
    def standing(self) -> Standing:
        """Whether the rule holds in all (`yes`), some (`partly`) or no (`no`) judged scenarios, or `unknown`."""
        count = self.count
        return standing(count.judged, count.judged - count.failed - count.error, count.unsupported)


@dataclass(frozen=True, slots=True)
class ClassResult:
    """Results of a class of rules: `judged` counts rules with a judged scenario, `holding` those without failures."""

    class_: RuleClass
    holding: int
    judged: int
    rules: tuple[RuleResult, ...]
    count: Count
    """The counts of all scenarios of these rules."""


@dataclass(slots=True)
class RuleTally:
    """Collects the verdicts on one contract, and groups them by rule for a report. Stores only examples of verdicts."""

    rules: Rules | None
    _counts: dict[str, Count] = field(default_factory=dict)
    _fails: dict[str, Counter[Failure]] = field(default_factory=dict)
    _shortest: dict[str, dict[Failure, RankedVerdict]] = field(default_factory=dict)

    def add(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Count one verdict under its rule. `ruling` states whether the baseline accepts the verdict."""
        rule_id = self.rule_of(verdict)
        self._counts.setdefault(rule_id, Count()).add(verdict, ruling)
        if verdict.status in ("failed", "error"):
            accepted, rank = bool(ruling.accepted), worst(verdict)
            failure = failure_of(verdict)
            if not accepted:
                self._fails.setdefault(rule_id, Counter())[failure] += 1
            key = (accepted, rank.level, rank.is_generated, verdict.length, rank, verdict.scenario_id)
            shortest = self._shortest.setdefault(rule_id, {})
            if failure not in shortest or key < shortest[failure][0]:
                shortest[failure] = (key, verdict)

    def results(self, as_if_without: str | None = None) -> tuple[RuleResult, ...]:
        """Return the result of each rule with a verdict, the worst rule first: rules with harm or different effects,
        then rules with only unnecessary refusals, then rules with only different reasons or words. The kind of mistake
        `as_if_without` is ignored in all failures.
        """
        rule_order = {rule.id: number for number, rule in enumerate(self.rules or ())}
        unsorted = [self._result_of(rule_id, as_if_without) for rule_id in self._counts]
        return tuple(sorted(unsorted, key=lambda result: _sort_key(result, rule_order)))

    def dominant(self) -> DominantMistake | None:
        """Return the most frequent unaccepted mistake. None if at most a quarter of failures have only this mistake."""
        fails: Counter[Failure] = Counter()
        for failures in self._fails.values():
            fails.update(failures)
        return find_dominant_mistake(fails, self._shortest.values())

    def rule_of(self, verdict: Verdict) -> str:
        """Return the id of the rule of a verdict. Empty if the suite does not contain the rule."""
        return verdict.rule if self.rules is not None and verdict.rule in self.rules else ""

    def _result_of(self, rule_id: str, fixed: str | None) -> RuleResult:
        rule = self.rules[rule_id] if self.rules is not None and rule_id else None
        fails: Counter[int] = Counter()
        remaining: dict[Failure, int] = {}
        for failure, number in self._fails.get(rule_id, Counter[Failure]()).items():
            if (level := failure.level(fixed)) is not None:
                fails[level] += number
                remaining[failure] = number
        level = min(fails, default=None)
        severity = min((failure.severity(fixed) for failure in remaining), default=None)
        return RuleResult(
            rule,
            self._counts[rule_id],
            None if level is None else LEVELS[level],
            0 if level is None else fails[level],
            self._find_example(rule_id, remaining, severity, fixed),
            severity == OVERCAUTIOUS,
        )

    def _find_example(
        self, rule_id: str, unaccepted: Mapping[Failure, int], severity: int | None, fixed: str | None
    ) -> Verdict | None:
        """Return the example of a rule: the shortest of its worst failures with the most frequent mistake. None without
        a failure. `unaccepted` contains the number of scenarios by unaccepted failure, `severity` their worst severity
        (None if all failures are accepted). Mistakes named `fixed` are ignored.
        """
        ranked = self._shortest.get(rule_id, {})
        if severity is None:
            return min(ranked.values(), key=itemgetter(0))[1] if ranked and fixed is None else None
        # Harm comes first. Different effects and unnecessary refusals form one group.
        limit = severity if severity == 0 else max(severity, OVERCAUTIOUS)
        candidates = [failure for failure in unaccepted if failure.severity(fixed) <= limit]
        frequent: Counter[str] = Counter()
        for failure in candidates:
            frequent.update(dict.fromkeys(sorted(failure.names(fixed)), unaccepted[failure]))
        [(most_frequent, _)] = frequent.most_common(1)
        examples = (ranked[failure] for failure in candidates if most_frequent in failure.names(fixed))
        return min(examples, key=itemgetter(0))[1]


def by_rule(judged: Iterable[JudgedScenario], rules: Rules | None) -> tuple[RuleResult, ...]:
    """Group the verdicts on one contract by rule, and return the result of each rule, the worst rule first."""
    tally = RuleTally(rules)
    for verdict, ruling in judged:
        tally.add(verdict, ruling)
    return tally.results()


def by_class(results: Iterable[RuleResult]) -> tuple[ClassResult, ...]:
    """Group results by class, the worst class first. Classes without a rule in `results` are omitted."""
    grouped: dict[RuleClass, list[RuleResult]] = {class_: [] for class_ in CLASSES}
    for result in results:
        if result.rule is not None:
            grouped[result.rule.class_].append(result)
    return tuple(
        ClassResult(
            class_,
            sum(result.standing == "yes" for result in group),
            sum(result.count.judged > 0 for result in group),
            tuple(group),
            reduce(Count.plus, (result.count for result in group)),
        )
        for class_, group in grouped.items()
        if group
    )


def _sort_key(result: RuleResult, rule_order: dict[str, int]) -> tuple[int, int, int, int, int, int]:
    level = len(LEVELS) if result.level is None else LEVELS.index(result.level)
    effects = LEVELS.index("effects")
    group = level if level > effects else effects if result.is_overcautious else 0
    rule = result.rule
    if rule is None:
        return (group, len(CLASSES), level, 0, -result.failing_scenarios, 0)
    requirement = REQUIREMENTS.index(rule.requirement)
    return (
        group,
        CLASSES.index(rule.class_),
        level,
        requirement,
        -result.failing_scenarios,
        rule_order[rule.id],
    )


MAX_RULE_LINES = 30
"""Maximum lines in the list of failing rules. The last line states how many rules are not listed."""

NO_RULE = "no rule"
"""Heading that is used for scenarios without a rule."""
_OVERCAUTIOUS_HEADING = "refused without need"
_HEADINGS_BY_LEVEL = {
    "reason": "in reasons alone",
    "text": "in words alone",
    "verbatim": "only in bytes of the answer",
}
_GAP = "  "
_MIN_MISTAKE_CHARS, _MAX_MISTAKE_CHARS = 30, 70
"""Limits for the mistake in a rule's line, in characters: the minimum free space, and the maximum length."""


def failing_rules(results: Sequence[RuleResult]) -> list[RuleResult]:
    """Return the rules with a failing scenario that the baseline does not accept, in the order of `results`."""
    return [result for result in results if result.level is not None]


def group_of(result: RuleResult) -> str:
    """Return the heading for a failing rule: its class, or the kind of minor failures (`refused without need`)."""
    if result.level in _HEADINGS_BY_LEVEL:
        return _HEADINGS_BY_LEVEL[result.level]
    if result.is_overcautious:
        return _OVERCAUTIOUS_HEADING
    return result.rule.class_ if result.rule is not None else NO_RULE


def dominant_lines(dominant: DominantMistake) -> list[Line]:
    """Return lines for a report about the most frequent mistake: how many failures have it, and one example."""
    others = dominant.failing - dominant.alone
    addition = f"; it is in {pluralize(others, 'other')} as well" if others else ""
    share = f"{dominant.alone:,} of " if dominant.hides else "all "
    lines: list[Line] = [
        ("title", f"One mistake in {share}{pluralize(dominant.total_failures, 'failure')}{addition}:"),
        ("", f"  {visible(dominant.example)}  {visible(dominant.shortest.scenario_id)}"),
    ]
    return [*lines, ("note", "What follows is as if it were fixed.")] if dominant.hides else lines


def rule_lines(
    results: Sequence[RuleResult],
    command: str,
    *,
    width: int | None = None,
    everything: bool = False,
    max_lines: int = MAX_RULE_LINES,
) -> list[Line]:
    """Return the list of failing rules. A line contains the number of scenarios that fail at the rule's lowest failing
    level, the title, and the id of the shortest failing scenario. If a line would have more than `width` columns, the
    ids are in separate lines. `command` replays a scenario if an id is added. After `max_lines` lines, rules are only
    counted, unless `everything` is set.
    """
    failing = failing_rules(results)
    if not failing:
        return []
    count_width = max(len(_failure_ratio(result)) for result in failing)
    title_width = max(len(_escaped_title(result)) for result in failing)
    id_width = max(len(_shortest_id(result)) for result in failing)
    is_one_line = width is None or len(_GAP * 3) + count_width + title_width + id_width <= width
    shown = failing if everything else _rules_that_fit(failing, max_lines, 1 if is_one_line else 2)
    lines: list[Line] = [("title", f"Rules that do not hold, worst first: {len(failing)}")]
    lines.append(("note", f"repeat one: {command} SCENARIO"))
    previous_group = ""
    for result in shown:
        if group_of(result) != previous_group:
            previous_group = group_of(result)
            lines.append(("step", previous_group))
        line = f"{_GAP}{_failure_ratio(result).rjust(count_width)}{_GAP}{_escaped_title(result)}"
        if is_one_line:
            line = f"{line.ljust(len(_GAP * 2) + count_width + title_width)}{_GAP}{_shortest_id(result)}"
            lines.append(("", f"{line}{_describe_mistake(result, width, len(line))}"))
        else:
            below = f"{_GAP}{' ' * count_width}{_GAP}{_shortest_id(result)}"
            lines += [("", line), ("note", f"{below}{_describe_mistake(result, width, len(below))}")]
    if omitted := Counter(map(group_of, failing[len(shown) :])):
        more = ", ".join(f"{name} {count}" for name, count in omitted.items())
        count = pluralize(omitted.total(), "more rule")
        lines.append(("note", f"[{count}: {more}; --failures all lists them]"))
    return lines


def _describe_mistake(result: RuleResult, width: int | None, used: int) -> str:
    """Return a generated scenario's first mistake, to add to a line of `used` columns. Empty without enough room."""
    if result.example is None or not is_generated(result.example.scenario_id):
        return ""
    room = min(_MAX_MISTAKE_CHARS, _MAX_MISTAKE_CHARS if width is None else width - used - len(_GAP))
    mistake = brief(result.example)
    if room < _MIN_MISTAKE_CHARS or not mistake:
        return ""
    return f"{_GAP}{mistake if len(mistake) <= room else f'{mistake[: room - 1]}…'}"


def _rules_that_fit(failing: list[RuleResult], max_lines: int, lines_per_rule: int) -> list[RuleResult]:
    """Return the first rules that fit into `max_lines` lines with the headings of their groups; at least one."""
    lines_left, previous_group = max_lines, ""
    for number, result in enumerate(failing):
        lines_left -= lines_per_rule + (group_of(result) != previous_group)
        previous_group = group_of(result)
        if lines_left < 0 and number:
            return failing[:number]
    return failing


def _failure_ratio(result: RuleResult) -> str:
    return f"{result.failing_scenarios}/{result.count.judged}"


def rule_title(result: RuleResult) -> str:
    """Return the title of the rule, not escaped, or the title for scenarios without a rule."""
    return result.rule.title if result.rule is not None else "Scenarios that belong to no rule"


def accepted_in(result: RuleResult) -> str:
    """Return the number of accepted failures, such as ` (2 accepted)`. Empty without accepted failures."""
    return f" ({result.count.accepted} accepted)" if result.count.accepted else ""


def _escaped_title(result: RuleResult) -> str:
    return visible(rule_title(result)) + accepted_in(result)


def _shortest_id(result: RuleResult) -> str:
    return visible(result.example.scenario_id) if result.example is not None else ""
