"""JUnit, Markdown and the badge gather failures by rule, the worst class first, as the end of a run does."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import pytest

from readfirst.harness.compare.verdict import Difference, Level, Status
from readfirst.harness.report.results import Judged, Results, Sources
from readfirst.harness.suite.selection import Selection, select
from readfirst.harness.suite.suite import Suite
from tests import verdicts
from tests.command_line import Cli
from tests.verdicts import judged, run, sources_of, written

from .test_reports import junit as junit_report


def verdict(scenario_id: str, rule: str, status: Status, length: int = 2) -> Judged:
    refused = Difference(0, 0, "effects", "refused", "refused", "not refused", "implementation")
    found = () if status == "passed" else (refused,)
    fails: Level | None = None if status == "passed" else "safe"
    return judged(verdicts.verdict(scenario_id, status, *found, fails=fails, rule=rule, length=length))


FAILING = [
    verdict("gate/not-read", "read-first", "failed"),
    verdict("reading/again", "numbers", "failed", 3),
    verdict("reading/lines", "numbers", "failed"),
    verdict("reading/other", "", "passed"),
]


def ruled_sources(suite: Suite) -> Sources:
    of_class = lambda class_: select(suite, Selection(classes=(class_,)))  # noqa: E731
    return sources_of(suite, rules=suite.rules, of_class=of_class)


def results(judged: Sequence[Judged]) -> Results:
    return Results((run(*judged, target="python:module:Tools"),))


def junit(suite: Suite, judged: Sequence[Judged] = FAILING) -> ElementTree.Element:
    text = written(lambda stream: junit_report(stream, suite.rules), judged)
    return ElementTree.fromstring(text.encode())


def test_junit_has_a_suite_for_each_rule_the_worst_class_first(ruled: Suite) -> None:
    root = junit(ruled)
    assert [each.get("name") for each in root] == [
        "contract: Edit refuses a file that was not read",
        "fidelity: Read numbers the lines of a file",
        "Scenarios that belong to no rule",
    ]
    assert [(each.get("tests"), each.get("failures")) for each in root] == [
        ("1", "1"),
        ("2", "2"),
        ("1", "0"),
    ]
    assert [case.get("classname") for case in root.iter("testcase")] == [
        "2.1.7.contract.read-first",
        "2.1.7.fidelity.numbers",
        "2.1.7.fidelity.numbers",
        "2.1.7.no rule",
    ]
    assert [case.get("name") for case in root[1].iter("testcase")] == ["reading/again", "reading/lines"]


def test_a_suite_of_junit_says_what_fails_and_how_to_repeat_it(ruled: Suite) -> None:
    properties = {each.get("name"): each.get("value") for each in junit(ruled)[1].iter("property")}
    assert properties == {
        "rule": "numbers",
        "class": "fidelity",
        "requirement": "must",
        "failing": "2 of 2 at safe",
        "shortest": "reading/lines",
        "command": "readfirst run python:module:Tools --contract 2.1.7 reading/lines",
    }
    holding = junit(ruled, [verdict("reading/lines", "numbers", "passed")])
    assert "failing" not in {each.get("name") for each in holding.iter("property")}


def test_markdown_has_a_line_for_each_failing_rule_and_explains_its_shortest(ruled: Suite) -> None:
    text = ruled_sources(ruled).write("markdown", results(FAILING))
    assert "| contract | 0/1 | 0/1 | 0/1 | 0/1 | 0/1 | 0 |" in text
    assert "| no rule |  | 1/1 | 1/1 | 1/1 | 1/1 | 0 |" in text
    assert "2 rules do not hold at the level text, worst first." in text
    rows = [line for line in text.splitlines() if line.startswith(("| 1/1 |", "| 2/2 |"))]
    assert rows == [
        "| 1/1 | Edit refuses a file that was not read | contract | gate/not-read |",
        "| 2/2 | Read numbers the lines of a file | fidelity | reading/lines |",
    ]
    assert "<details><summary>reading/lines</summary>" in text
    assert "<summary>reading/again" not in text
    assert "\nreadfirst run python:module:Tools SCENARIO\n" in text


FIDELITY = [verdict("reading/again", "numbers", "passed"), verdict("reading/lines", "numbers", "passed")]


@pytest.mark.parametrize(
    ("judged", "message", "color"),
    [
        (FIDELITY, "fidelity 1/1 text", "brightgreen"),
        ([FIDELITY[0], FAILING[2]], "fidelity 0/1 text", "red"),
        (FIDELITY[:1], "1/1 text", "brightgreen"),  # a part of the class is not the class
        ([*FIDELITY, FAILING[3]], "3/3 text", "brightgreen"),
        ([*FIDELITY, FAILING[0]], "2/3 text", "red"),
    ],
)
def test_a_badge_claims_a_class_only_where_all_of_it_and_nothing_else_was_run(
    ruled: Suite, judged: Sequence[Judged], message: str, color: str
) -> None:
    badge = json.loads(ruled_sources(ruled).write("badge", results(judged)))
    assert (badge["message"], badge["color"]) == (message, color)


def test_a_badge_shows_which_rules_are_not_claimed(ruled: Suite) -> None:
    (ruled.scenarios_root / "gate" / "twice.yaml").write_text(
        (ruled.scenarios_root / "gate" / "not-read.yaml")
        .read_text()
        .replace("rule: read-first", "rule: twice")
    )
    rules = ruled.root / "rules.yaml"
    block = rules.read_text().partition("  read-first:\n")[2].partition("  numbers:")[0]
    rules.write_text(f"{rules.read_text()}  twice:\n{block}")
    suite = Suite(ruled.root)
    judged = [verdict("gate/not-read", "read-first", "passed"), verdict("gate/twice", "twice", "unsupported")]
    badge = json.loads(ruled_sources(suite).write("badge", results(judged)))
    assert badge["message"] == "contract 1/1, 1 not claimed, text, 50% of 2 judged"


def test_the_badge_of_a_run_of_one_class_counts_its_rules(readfirst: Cli, ruled: Suite) -> None:
    ran = readfirst("run", "--fixtures", ruled.root, "--class", "contract", "--format", "badge")
    assert ran.code == 0
    assert json.loads(ran.out)["message"] == "contract 1/1 text"
