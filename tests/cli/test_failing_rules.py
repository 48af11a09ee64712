"""A run ends with the rules that do not hold: one line each, the worst class first, and no more than a screen."""

from dataclasses import replace

from readfirst.harness.compare.verdict import Level, Status
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.by_rule import MOST_LINES, RuleResult, by_rule, rule_lines
from readfirst.harness.report.results import Judged
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.rules import CLASSES, RuleClass
from tests.verdicts import judged, rule, rules_of, verdict

COMMAND = "readfirst run mcp:server --contract 2.1.7 --level text"


def results(*rules: tuple[str, RuleClass, int, int], accepted: int = 0) -> tuple[RuleResult, ...]:
    """Return the results of rules: name, class, failing scenarios, passing ones."""
    made = [rule(name, class_) for name, class_, _, _ in rules]
    verdicts = []
    for name, _, failing, passing in rules:
        for number in range(failing + passing):
            fails = number < failing
            accepts = "known" if fails and number >= failing - accepted else ""
            status: Status = "failed" if fails else "passed"
            verdicts.append(judged(verdict(f"{name}/s{number}", status, rule=name, length=2), accepts))
    return by_rule(verdicts, rules_of(*made))


def shown(found: tuple[RuleResult, ...], width: int | None = None, everything: bool = False) -> list[str]:
    return [text for _, text in rule_lines(found, COMMAND, width=width, everything=everything)]


def test_each_failing_rule_has_a_line_with_count_title_and_shortest_scenario() -> None:
    found = results(("a", "contract", 1, 11), ("bb", "safety", 12, 0), ("fine", "safety", 0, 2))
    assert shown(found) == [
        "Rules that do not hold, worst first: 2",
        f"repeat one: {COMMAND} SCENARIO",
        "safety",
        "  12/12  Rule bb holds  bb/s0",
        "contract",
        "   1/12  Rule a holds   a/s0",
    ]


def test_in_a_narrow_terminal_the_scenario_is_below_the_title() -> None:
    found = results(("a", "contract", 1, 1))
    line = "  1/2  Rule a holds  a/s0"
    assert line in shown(found, width=len(line))
    narrow = shown(found, width=len(line) - 1)
    assert narrow[-2:] == ["  1/2  Rule a holds", "       a/s0"]
    assert all(len(each) < len(line) for each in narrow[2:])


def test_accepted_failures_are_counted_and_a_rule_with_no_others_is_left_out() -> None:
    assert shown(results(("a", "contract", 2, 1), accepted=2)) == []
    assert shown(results(("a", "contract", 3, 1), accepted=2))[-1] == "  1/4  Rule a holds (2 accepted)  a/s0"


def test_four_hundred_failures_fit_on_one_screen() -> None:
    counts = zip(CLASSES, (13, 30, 5, 32), strict=True)
    found = results(
        *((f"{class_}-{number:02}", class_, 5, 1) for class_, many in counts for number in range(many))
    )
    for width in (None, 200, 70):
        lines = shown(found, width=width)
        assert len(lines) <= MOST_LINES + 6
        assert sum("Rule safety-" in line for line in lines) == 13
    assert (
        shown(found)[-1] == "[15 of contract, 5 of fidelity, 32 of product more; --failures all lists them]"
    )
    everything = shown(found, everything=True)
    assert sum("Rule " in line for line in everything) == 80
    assert "more" not in everything[-1]


def test_rules_of_safety_that_do_not_fit_are_counted() -> None:
    found = results(
        *((f"s{number:02}", "safety", 1, 0) for number in range(MOST_LINES + 5)), ("c", "contract", 1, 0)
    )
    assert sum("Rule s" in line for line in shown(found)) == MOST_LINES - 1
    assert shown(found)[-1].startswith("[6 of safety, 1 of contract more;")


def test_rules_of_one_class_stand_together_and_harm_comes_first_in_each() -> None:
    def failing(rule: str, number: int, fails: Level, harm: Kind | None = None) -> Judged:
        found = verdict(f"{rule}/s{number}", fails=fails, rule=rule, length=2)
        harms = () if harm is None else (Harm(0, 0, harm, "notes.txt", harm),)
        return judged(replace(found, harms=harms))

    found = by_rule(
        [
            *(failing("ungated", number, "effects") for number in range(3)),
            failing("losing", 0, "safe", "lost"),
            failing("refusing", 0, "safe", "overcautious"),
            failing("spoiling", 0, "safe", "spoiled"),
            failing("answering", 0, "effects"),
        ],
        rules_of(
            rule("ungated", "safety"),
            rule("losing", "safety"),
            rule("refusing", "safety"),
            rule("spoiling", "contract"),
            rule("answering", "contract"),
        ),
    )
    assert [line.split("  ")[-1].strip() for line in shown(found)[2:]] == [
        *("safety", "losing/s0", "ungated/s0"),
        *("contract", "spoiling/s0", "answering/s0"),
        *("refused without need", "refusing/s0"),
    ]


def test_what_differs_in_words_alone_comes_after_all_that_differs_in_effects() -> None:
    def failing(rule: str, number: int, fails: Level, length: int = 2) -> Judged:
        return judged(verdict(f"{rule}/s{number}", fails=fails, rule=rule, length=length))

    found = by_rule(
        [
            failing("worded", 0, "text"),
            failing("named", 0, "reason"),
            failing("named", 1, "text", length=1),
            failing("habit", 0, "text", length=1),
            failing("habit", 1, "effects", length=7),
        ],
        rules_of(rule("worded"), rule("named"), rule("habit", "product")),
    )
    assert shown(found)[2:] == [
        "product",
        "  1/2  Rule habit holds   habit/s1",
        "in reasons alone",
        "  1/2  Rule named holds   named/s0",
        "in words alone",
        "  1/1  Rule worded holds  worded/s0",
    ]
