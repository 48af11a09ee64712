"""By rule: the verdicts of one run under the rules that their scenarios show, and the list that it ends with."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from readfirst.harness.compare.baseline import Ruling
from readfirst.harness.compare.reach import Standing, standing
from readfirst.harness.compare.signature import kind, signature
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict, up_to
from readfirst.harness.report.failure import Line
from readfirst.harness.report.results import Judged
from readfirst.harness.report.visible import visible
from readfirst.harness.suite.harm_kinds import BESIDE, HARMS
from readfirst.harness.suite.heading import REQUIREMENTS
from readfirst.harness.suite.rules import CLASSES, Rule, RuleClass, Rules

_ORDER = (*HARMS, "broken", *BESIDE)
"""What went wrong, the worst first; of a replay that ended early nobody knows."""


@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """What failures sort by, the worst first; the fields in the order in which they count.

    `level`, `requirement` and `kind` are places in LEVELS, REQUIREMENTS and the kinds of harm. Of equal harm one that a
    person wrote comes before one that was made, and the shorter, of `length` given files and steps, before the longer:
    it is the easiest to look into.
    """

    level: int
    requirement: int
    kind: int
    made: bool
    length: int


def worst(verdict: Verdict) -> Worst:
    """Return the rank of a failed or broken verdict. A requirement that is not known counts as `must`."""
    broken, asked = verdict.status == "broken", up_to(verdict.level)
    requirement = 0 if verdict.requirement is None else REQUIREMENTS.index(verdict.requirement)
    kinds = ["broken"] if broken else [harm.kind for harm in verdict.harms]
    kind = min(map(_ORDER.index, kinds), default=len(_ORDER))
    failing = (at for at, level in enumerate(asked) if broken or not verdict.levels.get(level, True))
    level = next(failing, len(asked) - 1)
    return Worst(level, requirement, kind, is_made(verdict.scenario_id), verdict.length)


def is_made(scenario_id: str) -> bool:
    """Whether a program made the scenario from dimensions; its files are long and its names say little."""
    return scenario_id.startswith("crossed/")


_FEWEST = 10
"""Failures that a mistake must explain to be listed before all others."""
_EXAMPLE = 60
"""Characters of what was expected and of what came."""
_ALIKE = ("text", "verbatim", "broken")
"""Levels at which many failures are alike without being one mistake."""
_Mistakes = frozenset[tuple[str, int]]
"""What a failure shows: kinds of differences, each with the place of its level in LEVELS."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The results of the scenarios of one rule. `rule` is None for those without a known rule.

    `level` is the lowest level at which a scenario fails that no baseline accepts, None where all of these hold, and
    `fails` counts the scenarios that fail there: what is unsafe is not hidden among what is differently worded.
    `shortest` is the verdict on the shortest of these, of equal ones the one that does most harm; where all
    failures are accepted, on the shortest of those.
    """

    rule: Rule | None
    count: Count
    level: Level | None = None
    fails: int = 0
    shortest: Verdict | None = None

    @property
    def id(self) -> str:
        """The id of the rule; empty where the scenarios belong to none."""
        return self.rule.id if self.rule is not None else ""

    @property
    def standing(self) -> Standing:
        """Whether the rule holds."""
        count = self.count
        return standing(count.judged, count.judged - count.failed - count.broken, count.unsupported)


@dataclass(frozen=True, slots=True)
class ClassResult:
    """The rules of one class: how many hold completely, of how many that were judged at all."""

    class_: RuleClass
    holding: int
    judged: int
    rules: tuple[RuleResult, ...]
    count: Count
    """The scenarios of all of these rules."""


@dataclass(frozen=True, slots=True)
class Dominant:
    """The most frequent mistake: in how many of all failures it is, and how many show nothing else that is as bad.

    `shortest` is the verdict on the shortest of these.
    """

    kind: str
    failing: int
    alone: int
    of: int
    shortest: Verdict

    @property
    def hides(self) -> bool:
        """Whether there are other failures beside it."""
        return self.alone < self.of

    @property
    def example(self) -> str:
        """What differs in the shortest failure, in one line."""
        found = [each for each in self.shortest.differences if each.level != "safe"]
        if not found:
            return self.kind
        shown = (
            f"{text[:_EXAMPLE]}..." if len(text) > _EXAMPLE else text
            for text in (found[0].expected, found[0].got)
        )
        return f"{found[0].label}: expected {next(shown)}, got {next(shown)}"


@dataclass(slots=True)
class RuleTally:
    """Takes the verdicts on one contract as they come; memory grows with rules and kinds of mistakes only."""

    rules: Rules | None
    _counts: dict[str, Count] = field(default_factory=dict)
    _fails: dict[str, Counter[_Mistakes]] = field(default_factory=dict)
    _shortest: dict[str, dict[_Mistakes, tuple[tuple[bool, int, bool, int, Worst, str], Verdict]]] = field(
        default_factory=dict
    )

    def add(self, verdict: Verdict, ruling: Ruling) -> None:
        """Count one verdict and what the baseline makes of it."""
        rule_id = self.rule_of(verdict)
        self._counts.setdefault(rule_id, Count()).add(verdict, ruling)
        if verdict.status in ("failed", "broken"):
            accepted, does = bool(ruling.accepted), worst(verdict)
            mistakes = _mistakes(verdict, does.level)
            if not accepted:
                self._fails.setdefault(rule_id, Counter())[mistakes] += 1
            key = (accepted, does.level, does.made, verdict.length, does, verdict.scenario_id)
            shortest = self._shortest.setdefault(rule_id, {})
            if mistakes not in shortest or key < shortest[mistakes][0]:
                shortest[mistakes] = (key, verdict)

    def results(self, as_if_without: str | None = None) -> tuple[RuleResult, ...]:
        """Return the rules that had a verdict, the worst first.

        That is by the lowest level that fails, then by class, by requirement and by how many scenarios fail there.
        `as_if_without` names a kind of mistake that counts as fixed.
        """
        place = {rule.id: number for number, rule in enumerate(self.rules or ())}
        found = [self._result(rule_id, as_if_without) for rule_id in self._counts]
        return tuple(sorted(found, key=lambda result: _rank(result, place)))

    def dominant(self) -> Dominant | None:
        """Return the mistake that alone explains more than a quarter of the failures; None where there is none."""
        fails: Counter[_Mistakes] = Counter()
        for counted in self._fails.values():
            fails.update(counted)
        frequent: Counter[str] = Counter()
        for mistakes, number in fails.items():
            named = {name for name, _ in mistakes if name.partition(":")[0] not in _ALIKE}
            frequent.update(dict.fromkeys(named, number))
        if not frequent:
            return None
        [(most, failing)] = frequent.most_common(1)
        alone = sum(number for mistakes, number in fails.items() if _only(most, mistakes))
        if failing < _FEWEST or 4 * alone <= fails.total():
            return None
        shown = [
            found
            for shortest in self._shortest.values()
            for mistakes, found in shortest.items()
            if _only(most, mistakes) and not found[0][0]
        ]
        return Dominant(most, failing, alone, fails.total(), min(shown, key=lambda each: each[0])[1])

    def rule_of(self, verdict: Verdict) -> str:
        """Return the id of the rule that the verdict is counted under."""
        return verdict.rule if self.rules is not None and verdict.rule in self.rules else ""

    def _result(self, rule_id: str, without: str | None) -> RuleResult:
        rule = self.rules[rule_id] if self.rules is not None and rule_id else None
        fails: Counter[Level] = Counter()
        for mistakes, number in self._fails.get(rule_id, Counter[_Mistakes]()).items():
            if left := [level for name, level in mistakes if name != without]:
                fails[LEVELS[min(left)]] += number
        shortest = [
            found
            for mistakes, found in self._shortest.get(rule_id, {}).items()
            if not _only(without, mistakes)
        ]
        level = min(fails, key=LEVELS.index, default=None)
        return RuleResult(
            rule,
            self._counts[rule_id],
            level,
            0 if level is None else fails[level],
            min(shortest, key=lambda each: each[0])[1] if shortest else None,
        )


def _only(name: str | None, mistakes: _Mistakes) -> bool:
    """Whether the failure is of one mistake: what else differs, such as words, is not as bad."""
    lowest = min(level for _, level in mistakes)
    return all(each == name for each, level in mistakes if level == lowest)


def _mistakes(verdict: Verdict, lowest: int) -> _Mistakes:
    """Return what a failure shows at the level that was asked for, and below.

    Harm that comes with a difference in effects is that difference's.
    """
    most = LEVELS.index(verdict.level)
    found = [
        (kind(each), level)
        for each in verdict.differences
        if each.level != "safe" and (level := LEVELS.index(each.level)) <= most
    ]
    if verdict.status == "broken" or not found:
        return frozenset({(signature(verdict), lowest)})
    effects = LEVELS.index("effects")
    return frozenset((name, lowest if level == effects else level) for name, level in found)


def by_rule(judged: Iterable[Judged], rules: Rules | None) -> tuple[RuleResult, ...]:
    """Return the results of complete verdicts on one contract, in the order of `RuleTally.results`."""
    tally = RuleTally(rules)
    for verdict, ruling in judged:
        tally.add(verdict, ruling)
    return tally.results()


def by_class(results: Iterable[RuleResult]) -> tuple[ClassResult, ...]:
    """Return one result per class that has a rule among `results`, the worst class first."""
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


def _rank(result: RuleResult, place: dict[str, int]) -> tuple[int, int, int, int, int]:
    level = len(LEVELS) if result.level is None else LEVELS.index(result.level)
    rule = result.rule
    if rule is None:
        return (level, len(CLASSES), 0, -result.fails, 0)
    bound = REQUIREMENTS.index(rule.requirement)
    return (level, CLASSES.index(rule.class_), bound, -result.fails, place[rule.id])


MOST_LINES = 30
"""Lines of rules that are shown, so that hundreds of failures fit on one screen; rules of safety all are."""

NO_RULE = "no rule"
"""The heading of scenarios that belong to none."""
_ALONE = {"reason": "in reasons alone", "text": "in words alone", "verbatim": "only in bytes of the answer"}
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
    safety = sum(group_of(result) == "safety" for result in failing)
    shown = failing if everything else failing[: max(most if beside else most // 2, safety, 1)]
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
    if left := Counter(map(group_of, failing[len(shown) :])):
        more = ", ".join(
            f"{count} {name}" if name.startswith("in ") else f"{count} of {name}"
            for name, count in left.items()
        )
        lines.append(("note", f"[{more} more; --failures all lists them]"))
    return lines


def _count(result: RuleResult) -> str:
    return f"{result.fails}/{result.count.judged}"


def rule_title(result: RuleResult) -> str:
    """Return what the rule claims, as it is written."""
    return result.rule.title if result.rule is not None else "Scenarios that belong to no rule"


def accepted_in(result: RuleResult) -> str:
    """Return how many of its failures a baseline accepts, to be put after its title; empty where none."""
    return f" ({result.count.accepted} accepted)" if result.count.accepted else ""


def _title(result: RuleResult) -> str:
    return visible(rule_title(result)) + accepted_in(result)


def _shortest(result: RuleResult) -> str:
    return visible(result.shortest.scenario_id) if result.shortest is not None else ""
