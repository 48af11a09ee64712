"""Verdicts are gathered by rule: the worst class first, each with its shortest failing scenario."""

from dataclasses import replace

import pytest

from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.by_rule import RuleResult, RuleTally, by_class, by_rule
from readfirst.harness.report.results import Judged
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.rules import RuleClass, Rules
from readfirst.harness.suite.scenario_metadata import Requirement
from tests import verdicts
from tests.verdicts import judged, rule, rules_of

RULES: tuple[tuple[str, RuleClass, Requirement], ...] = (
    ("stale", "safety", "must"),
    ("unread", "contract", "must"),
    ("touched", "contract", "observed"),
    ("numbers", "fidelity", "must"),
)


def rules() -> Rules:
    return rules_of(*(rule(name, class_, requirement=requirement) for name, class_, requirement in RULES))


def verdict(
    scenario_id: str, rule: str, status: Status = "failed", length: int = 2, accepted: str = ""
) -> Judged:
    return judged(verdicts.verdict(scenario_id, status, rule=rule, length=length), accepted)


def mistaken(number: int, rule: str, *what: str) -> Judged:
    """Return a failure with a difference in effects for each of `what`."""
    found, ruling = verdict(f"a/{number}", rule)
    return replace(
        found, differences=tuple(Difference(0, 0, "effects", each, "x", "y") for each in what)
    ), ruling


def only(results: tuple[RuleResult, ...]) -> RuleResult:
    (result,) = results
    return result


def names(results: tuple[RuleResult, ...]) -> list[str]:
    return [result.rule.id if result.rule else "-" for result in results]


def test_an_accepted_failure_represents_the_rule_only_where_there_is_no_other() -> None:
    accepted = verdict("a/1", "stale", length=1, accepted="known")
    result = only(by_rule([accepted, verdict("a/2", "stale", length=9)], rules()))
    assert result.shortest is not None
    assert (result.shortest.scenario_id, result.count.accepted) == ("a/2", 1)
    alone = only(by_rule([accepted], rules()))
    assert alone.shortest is accepted[0]


def test_a_rule_holds_as_its_scenarios_do() -> None:
    def standing(*statuses: Status) -> str:
        verdicts = [verdict(f"a/{number}", "stale", status) for number, status in enumerate(statuses)]
        return only(by_rule(verdicts, rules())).standing

    assert standing("passed", "passed") == "yes"
    assert standing("passed", "failed") == "partly"
    assert standing("failed", "broken") == "no"
    assert standing("passed", "broken") == "partly"
    assert standing("passed", "unsupported") == "yes"
    assert standing("unsupported", "unspecified") == "not claimed"
    assert standing("unspecified") == "unknown"


def test_scenarios_of_no_known_rule_come_last_and_are_not_lost() -> None:
    verdicts = [verdict("a/1", ""), verdict("a/2", "gone"), verdict("a/3", "numbers")]
    results = by_rule(verdicts, rules())
    assert names(results) == ["numbers", "-"]
    assert results[-1].count.failed == 2
    assert [each.class_ for each in by_class(results)] == ["fidelity"]
    assert only(by_rule(verdicts, None)).count.failed == 3


def tallied(*judged: Judged) -> RuleTally:
    tally = RuleTally(rules())
    for found, ruling in judged:
        tally.add(found, ruling)
    return tally


def test_a_mistake_of_most_failures_is_named_and_the_others_are_counted_without_it() -> None:
    modes = [mistaken(number, "stale", f"mode of {number}.txt") for number in range(11)]
    both = mistaken(11, "unread", "mode of b.txt", "names of b.txt")
    other = mistaken(12, "touched", "names of c.txt")
    tally = tallied(*modes, both, other)
    found = tally.dominant()
    assert found is not None
    assert (found.kind, found.failing, found.alone, found.of, found.hides) == (
        "effects: mode",
        12,
        11,
        13,
        True,
    )
    assert found.example == "mode of 0.txt: expected x, got y"
    left = {each.id: each.fails for each in tally.results(as_if_without=found.kind)}
    assert left == {"stale": 0, "unread": 1, "touched": 1}
    assert {each.id: each.fails for each in tally.results()} == {"stale": 11, "unread": 1, "touched": 1}


def harmful(number: int, rule: str, *harms: str, length: int = 2) -> Judged:
    """Return a failure at the level `safe` with these harms, after an answer in other words."""
    found, ruling = verdict(f"a/{number:02}", rule, length=length)
    differences = [Difference(0, 0, "text", "text", "1→x", "1: x")]
    differences += [Difference(1, 0, "safe", each, "", "") for each in harms]
    kinds = [next(kind for kind in KINDS if each.startswith(kind)) for each in harms]
    return replace(
        found,
        level="safe",
        levels=dict.fromkeys(LEVELS, False),
        differences=tuple(differences),
        harms=tuple(Harm(1, 0, kind, "notes.txt", each) for kind, each in zip(kinds, harms, strict=True)),
    ), ruling


LEFT_OVER = "stray: {}.tmp, which no call named, was left behind"
LOST = "lost: line 2 of notes.txt"
NEEDLESS = "overcautious: Read was refused, which every contract answers: no"


def test_at_the_level_safe_the_mistake_is_a_harm_and_hides_only_what_it_explains() -> None:
    strays = [harmful(number, "stale", LEFT_OVER.format(f"{number}.txt")) for number in range(11)]
    both = [harmful(11 + number, "unread", LEFT_OVER.format("b.txt"), LOST) for number in range(12)]
    tally = tallied(*strays, *both)
    found = tally.dominant()
    assert found is not None
    assert (found.failing, found.alone, found.of) == (23, 11, 23)
    assert found.example == "stray: 0.txt.tmp, which no call named, was left behind"
    left = {each.id: each.fails for each in tally.results(as_if_without=found.kind)}
    assert left == {"stale": 0, "unread": 12}


def test_the_example_of_a_rule_shows_its_most_frequent_mistake_and_harm_before_refusals() -> None:
    spoiled = [harmful(number, "stale", "spoiled: the mode of a was 0755", length=9) for number in range(3)]
    lost = harmful(3, "stale", LOST, length=1)
    refusals = [harmful(4 + number, "stale", NEEDLESS, length=1) for number in range(9)]
    (result,) = by_rule([*refusals, lost, *spoiled], rules())
    assert result.shortest is not None
    assert (result.shortest.scenario_id, result.is_overcautious) == ("a/00", False)
    (needless,) = by_rule(refusals, rules())
    assert needless.is_overcautious


@pytest.mark.parametrize("level", ["effects", "text"])
def test_other_words_of_all_answers_do_not_hide_the_mistake_of_most_failures(level: Level) -> None:
    judged = []
    for number in range(12):
        found, ruling = mistaken(number, "stale", f"mode of {number}.txt")
        words = Difference(0, 0, "text", "text", "x", "y")
        judged.append((replace(found, level=level, differences=(*found.differences, words)), ruling))
    tally = tallied(*judged)
    dominant = tally.dominant()
    assert dominant is not None
    assert (dominant.kind, dominant.alone, dominant.of) == ("effects: mode", 12, 12)
    [left] = tally.results(as_if_without=dominant.kind)
    assert left.level == (None if level == "effects" else "text")


def test_a_mistake_of_few_failures_or_of_a_quarter_is_not_named() -> None:
    assert tallied(*(mistaken(number, "stale", "mode of a.txt") for number in range(9))).dominant() is None
    ten = [mistaken(number, "stale", "mode of a.txt") for number in range(10)]
    others = [mistaken(10 + number, "unread", "names of a.txt", "mode of a.txt") for number in range(30)]
    assert tallied(*ten, *others).dominant() is None
    everything = tallied(*ten).dominant()
    assert everything is not None
    assert not everything.hides
