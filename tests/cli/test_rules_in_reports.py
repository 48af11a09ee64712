import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from xml.etree import ElementTree

import pytest

from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.by_rule import RuleTally, by_class, by_rule, rule_lines
from readfirst.harness.report.results import JudgedScenario, ReportSources, Results
from readfirst.harness.suite.harm_kinds import KINDS, Kind
from readfirst.harness.suite.suite import Suite
from tests import verdicts
from tests.rows import rows
from tests.verdicts import rule, rules_of, run, sources_of, with_baseline_result

COMMAND = "readfirst run mcp:server --contract 2.1.7 --level text"
RULES = rules_of(
    rule("stale", "safety"),
    rule("torn", "safety"),
    rule("unread", "design"),
    rule("named", "design", requirement="observed"),
    rule("numbers", "wording"),
    rule("habit", "quirk"),
)


def verdict_on(
    scenario: str,
    fails: Level | None = None,
    *,
    length: int = 2,
    harm: Kind | None = None,
    accepted: str = "",
    status: Status | None = None,
) -> JudgedScenario:
    """Return a verdict on a scenario whose id begins with its rule. It fails at `fails` and all stricter levels."""
    status = status or ("failed" if fails else "passed")
    found = verdicts.verdict(scenario, status, fails=fails, rule=scenario.partition("/")[0], length=length)
    harms = () if harm is None else (Harm(0, 0, harm, "notes.txt", harm),)
    return with_baseline_result(replace(found, harms=harms), accepted)


Row = tuple[str, str, str, str]
"""The heading above a rule that does not hold, `failures/scenarios`, its title, and the shortest failing scenario."""

TABLE: dict[str, tuple[Sequence[JudgedScenario], Sequence[Row], str, str]] = {
    "classes": (
        [
            verdict_on("numbers/a", "safe", length=3),
            verdict_on("numbers/b", "safe"),
            verdict_on("unread/a", "effects"),
            verdict_on("unread/b"),
        ],
        [
            ("design", "1/2", "Rule unread holds", "unread/a"),
            ("wording", "2/2", "Rule numbers holds", "numbers/b"),
        ],
        "design 0/1 2/2 1/2 1/2 1/2 0, wording 0/1 0/2 0/2 0/2 0/2 0",
        "1/4 text",
    ),
    "harm comes first, and refusals last": (
        [
            *(verdict_on(f"stale/{number}", "effects") for number in range(3)),
            verdict_on("torn/a", "safe", harm="lost"),
            verdict_on("habit/a", "safe", harm="overcautious"),
            verdict_on("unread/a", "safe", harm="spoiled"),
            verdict_on("named/a", "effects"),
        ],
        [
            ("safety", "1/1", "Rule torn holds", "torn/a"),
            ("safety", "3/3", "Rule stale holds", "stale/0"),
            ("design", "1/1", "Rule unread holds", "unread/a"),
            ("design", "1/1", "Rule named holds", "named/a"),
            ("refused without need", "1/1", "Rule habit holds", "habit/a"),
        ],
        "safety 0/2 3/4 0/4 0/4 0/4 0, design 0/2 1/2 0/2 0/2 0/2 0, quirk 0/1 0/1 0/1 0/1 0/1 0",
        "0/7 text",
    ),
    "words come after effects": (
        [
            verdict_on("unread/a", "text"),
            verdict_on("named/a", "reason"),
            verdict_on("named/b", "text", length=1),
            verdict_on("habit/a", "text", length=1),
            verdict_on("habit/b", "effects", length=7),
        ],
        [
            ("quirk", "1/2", "Rule habit holds", "habit/b"),
            ("in reasons alone", "1/2", "Rule named holds", "named/a"),
            ("in words alone", "1/1", "Rule unread holds", "unread/a"),
        ],
        "design 0/2 3/3 3/3 2/3 0/3 0, quirk 0/1 2/2 1/2 1/2 0/2 0",
        "0/5 text",
    ),
    "an accepted failure is shown only beside others": (
        [
            verdict_on("stale/a", "safe", length=1, accepted="known"),
            verdict_on("stale/b", "safe", length=9),
            verdict_on("torn/a", "safe", accepted="known"),
        ],
        [("safety", "1/2", "Rule stale holds (1 accepted)", "stale/b")],
        "safety 0/2 0/3 0/3 0/3 0/3 0",
        "safety 0/2 text",
    ),
    "scenarios of no known rule come last": (
        [verdict_on("gone/a", "safe"), verdict_on("numbers/a", "safe"), verdict_on("numbers/b")],
        [
            ("wording", "1/2", "Rule numbers holds", "numbers/a"),
            ("no rule", "1/1", "Scenarios that belong to no rule", "gone/a"),
        ],
        "wording 0/1 1/2 1/2 1/2 1/2 0, no rule  0/1 0/1 0/1 0/1 0",
        "1/3 text",
    ),
    "a rule that is not claimed": (
        [verdict_on("stale/a"), verdict_on("stale/b"), verdict_on("torn/a", status="unsupported")],
        [],
        "",
        "safety 1/1, 1 not claimed, text, judged 2 of 3",
    ),
}
"""Each with the expected rows, numbers of the classes, and text of the badge."""


def sources(suite: Suite) -> ReportSources:
    return sources_of(suite, rules=RULES, find=lambda _: None, of_class=lambda class_: CLASS.get(class_, []))


CLASS = {"safety": ["stale/a", "stale/b", "torn/a"]}
"""The scenarios of each class. If a run contains all of a class, its badge names the class."""


def results(every: Sequence[JudgedScenario]) -> Results:
    return Results((run(*every, target="python:module:Tools"),))


def report_lines(every: Sequence[JudgedScenario], width: int | None = None) -> list[str]:
    return [text for _, text in rule_lines(by_rule(every, RULES), COMMAND, width=width, everything=False)]


@rows(("judged", "failing", "classes", "badge"), TABLE.values())
def test_each_format_lists_the_rules_in_the_same_order(
    suite: Suite, judged: Sequence[JudgedScenario], failing: Sequence[Row], classes: str, badge: str
) -> None:
    wide = max((len(title) for _, _, title, _ in failing), default=0)
    assert report_lines(judged)[2:] == [
        line
        for heading, below in groupby(failing, key=lambda row: row[0])
        for line in (heading, *(f"{of:>5}  {title:{wide}}  {example}" for _, of, title, example in below))
    ]
    page = sources(suite).write("markdown", results(judged))
    shown = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    counts = [" ".join(row) for row in shown[2:] if len(row) == 7 and row[0] != "class"]
    assert ", ".join(counts) == classes
    assert [tuple(row) for row in shown if len(row) == 4][1:] == [
        (of, title, heading, example) for heading, of, title, example in failing
    ]
    root = ElementTree.fromstring(sources(suite).write("junit", results(judged)).encode())
    fails = [str(each.get("name")) for each in root if each.get("failures") != "0"]
    assert [name.partition(": ")[2] or name for name in fails] == [
        title.removesuffix(" (1 accepted)") for _, _, title, _ in failing
    ]
    assert json.loads(sources(suite).write("badge", results(judged)))["message"] == badge


def test_markdown_lists_accepted_failures_and_the_most_frequent_mistake(suite: Suite) -> None:
    other = next(failures_with("numbers", range(1), words=True))
    every = [*failures_with("stale", range(12), "refused"), other]
    every.append(verdict_on("torn/a", "safe", accepted="By design."))
    page = sources(suite).write("markdown", results(every))
    assert "One mistake in 12 of" in page
    assert "What follows is as if it were fixed." in page
    assert "Rule stale holds" not in page
    assert "Rule numbers holds" in page
    assert "1 accepted failure" in page
    assert re.search(r"^\| torn/a +\| safe +\| By design. +\|$", page, re.MULTILINE)


def test_junit_of_several_runs_names_the_run_of_each_testsuite(suite: Suite) -> None:
    two = Results(tuple(run(verdict_on("numbers/a"), target=name) for name in ("mcp:mine", "mcp:theirs")))
    root = ElementTree.fromstring(sources(suite).write("junit", two).encode())
    assert root.get("name") == "readfirst mcp:mine, mcp:theirs"
    assert [each.get("name") for each in root] == [
        "mcp:mine 2.1.7 wording: Rule numbers holds",
        "mcp:theirs 2.1.7 wording: Rule numbers holds",
    ]


def test_a_junit_testsuite_states_its_failures_and_the_command_to_repeat_them(suite: Suite) -> None:
    every = [verdict_on("numbers/a", "safe", length=3), verdict_on("numbers/b", "safe")]
    root = ElementTree.fromstring(sources(suite).write("junit", results(every)).encode())
    assert {each.get("name"): each.get("value") for each in root.iter("property")} == {
        "rule": "numbers",
        "class": "wording",
        "requirement": "must",
        "failing": "2 of 2 at safe",
        "shortest": "numbers/b",
        "command": "readfirst run python:module:Tools numbers/b",
    }
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert cases == [("2.1.7.wording.numbers", f"numbers/{name}") for name in "ab"]


@rows(
    ("statuses", "standing"),
    [
        ("passed passed", "yes"),
        ("passed failed", "partly"),
        ("failed error", "no"),
        ("passed error", "partly"),
        ("passed unsupported", "yes"),
        ("unsupported unspecified", "not claimed"),
        ("unspecified", "unknown"),
    ],
)
def test_the_status_of_a_rule_follows_from_its_scenarios(statuses: str, standing: str) -> None:
    every = [verdict_on(f"stale/{number}", status=each) for number, each in enumerate(statuses.split())]
    (result,) = by_rule(every, RULES)
    assert result.standing == standing


def test_the_example_of_a_rule_is_an_accepted_failure_only_if_no_other_scenario_fails() -> None:
    (result,) = by_rule([accepted := verdict_on("stale/a", "safe", accepted="known")], RULES)
    assert result.example is accepted[0]
    of_rules = by_rule([verdict_on("gone/a"), verdict_on("numbers/a")], RULES)
    assert [each.class_ for each in by_class(of_rules)] == ["wording"]


def failures_with(
    rule: str, numbers: range, *what: str, words: bool = False, level: Level = "text"
) -> Iterator[JudgedScenario]:
    """Yield a failure for each number, with the differences `what`: harm, if they begin with a kind of harm."""
    for number in numbers:
        found, ruling = verdict_on(f"{rule}/{number:02}", "effects")
        differences, harms = [], []
        for text in (each.format(number) for each in what):
            kind = next((kind for kind in KINDS if text.startswith(kind)), None)
            sides = ("", "") if kind else ("x", "y")
            differences.append(Difference(0, 0, "safe" if kind else "effects", text, *sides))
            if kind:
                harms.append(Harm(0, 0, kind, "notes.txt", text.removeprefix(f"{kind}: ")))
        if words:
            differences.append(Difference(0, 0, "text", "text", "x", "y"))
        fails = dict.fromkeys(LEVELS, False) if harms else found.levels
        made = replace(found, level=level, levels=fails, differences=tuple(differences), harms=tuple(harms))
        yield made, ruling


LEFT_OVER, LOSS = "stray: {}.tmp, which no call named, was left behind", "lost: line 2 of notes.txt"
MODE = "effects: mode", "mode of 0.txt: expected x, got y"
STRAY = "safe: " + LEFT_OVER.format("N"), LEFT_OVER.format(0)
"""Kinds of mistakes, each with its example."""
of_mode = partial(failures_with, "stale", range(12), "mode of {}.txt", words=True)


@pytest.mark.parametrize(
    ("every", "named", "counts", "left"),
    [
        (
            [
                *failures_with("stale", range(11), "mode of {}.txt"),
                *failures_with("unread", range(11, 12), "mode of b.txt", "names of b.txt"),
                *failures_with("named", range(12, 13), "names of c.txt"),
            ],
            MODE,
            (12, 11, 13, True),
            {"stale": 0, "unread": 1, "named": 1},
        ),
        (
            [
                *failures_with("stale", range(11), LEFT_OVER, level="safe"),
                *failures_with("unread", range(12), LEFT_OVER, LOSS, level="safe"),
            ],
            STRAY,
            (23, 11, 23, True),
            {"stale": 0, "unread": 12},
        ),
        (
            [
                *failures_with("stale", range(12), LEFT_OVER, "stray: {}.tmp was touched", level="safe"),
                *failures_with("unread", range(2), LEFT_OVER, LOSS, level="safe"),
            ],
            STRAY,
            (14, 12, 14, True),
            {"stale": 0, "unread": 2},
        ),
        ([*of_mode(level="effects")], MODE, (12, 12, 12, False), {"stale": 0}),
        ([*of_mode()], MODE, (12, 12, 12, False), {"stale": 12}),
        ([*failures_with("stale", range(9), "mode of a.txt")], None, (), {}),
        (
            [
                *failures_with("stale", range(10), "mode of a.txt"),
                *failures_with("unread", range(30), "names of a.txt", "mode of a.txt"),
            ],
            None,
            (),
            {},
        ),
    ],
    ids=["most", "harms", "stray, changed again", "words below level", "words at level", "few", "a quarter"],
)
def test_the_most_frequent_mistake_is_named_and_rules_are_counted_as_if_it_were_fixed(
    every: Sequence[JudgedScenario],
    named: tuple[str, str] | None,
    counts: tuple[int, ...],
    left: dict[str, int],
) -> None:
    tally = RuleTally(RULES)
    for found, ruling in every:
        tally.add(found, ruling)
    mistake = tally.dominant()
    if named is None or mistake is None:
        assert mistake is named
        return
    assert (mistake.kind, mistake.example) == named
    assert (mistake.failing, mistake.alone, mistake.total_failures, mistake.hides) == counts
    assert {each.id: each.failing_scenarios for each in tally.results(as_if_without=mistake.kind)} == left


def test_the_example_of_a_rule_shows_its_most_frequent_mistake_and_harm_before_refusals() -> None:
    needless = "overcautious: Read was refused, which every contract answers: no"
    refusals = list(failures_with("stale", range(4, 13), needless, level="safe"))
    lost = failures_with("stale", range(3, 4), "lost: line 2 of notes.txt", level="safe")
    spoiled = failures_with("stale", range(3), "spoiled: the mode of a was 0755", level="safe")
    (result,) = by_rule([*refusals, *lost, *((replace(each, length=9), no) for each, no in spoiled)], RULES)
    assert result.example is not None
    assert (result.example.scenario_id, result.is_overcautious) == ("stale/00", False)
    (overcautious,) = by_rule(refusals, RULES)
    assert overcautious.is_overcautious


def test_the_row_of_a_generated_scenario_shows_its_mistake_if_the_terminal_is_wide_enough() -> None:
    harm = "lost: lines 3–5 of docs/notes.txt, which the session was never shown"
    [(found, ruling)] = failures_with("stale", range(1), harm, level="safe")
    crossed = (replace(found, scenario_id="crossed/allowed-21"), ruling)
    line = "  1/1  Rule stale holds  crossed/allowed-21"
    assert report_lines([crossed])[-1] == f"{line}  step 1: {harm[:61]}…"
    assert report_lines([crossed], width=80)[-1] == f"{line}  step 1: {harm[:26]}…"
    assert report_lines([crossed], width=70)[-1] == line
    assert report_lines([crossed], width=42)[-2:] == ["  1/1  Rule stale holds", "       crossed/allowed-21"]
    assert report_lines([(found, ruling)])[-1].endswith("  stale/00")
