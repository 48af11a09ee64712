"""All reports of a run state the same numbers of passed scenarios, and no error counts as a pass."""

import io
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from rich.console import Console

from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import LEVELS, Level, Status, Verdict
from readfirst.harness.report import Commands, RunFacts
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.report.results import PAGES, JudgedScenario, PageReport
from readfirst.harness.report.table import TableReport
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.suite import Suite
from tests.verdicts import sources_of, with_baseline_result

Kind = tuple[Status, int]

GO_ON = Commands("readfirst run mine", "readfirst show")
ALL_BROKEN: list[Kind] = [("error", 0)] * 3
NOTHING: list[Kind] = [("unsupported", 0), ("unspecified", 0)]
MIXED = [*[("passed", 4)] * 5, ("failed", 3), ("failed", 2), ("failed", 1), *ALL_BROKEN[:2], *NOTHING]


def verdicts(kinds: list[Kind], level: Level, contracts: tuple[str, ...]) -> list[JudgedScenario]:
    found = []
    for contract in contracts:
        for number, ((status, holding), requirement) in enumerate(zip(kinds, cycle(REQUIREMENTS))):
            levels = {each: place < holding for place, each in enumerate(LEVELS)}
            if status in ("passed", "failed"):
                status = "passed" if levels[level] else "failed"
            judged = Verdict(f"{'ab'[number % 2]}/{number}", contract, level, status, levels)
            found.append(with_baseline_result(replace(judged, requirement=requirement)))
    return found


class AllReports:
    """All reports about the same verdicts. Each property returns the numbers of passed and judged, such as "5/10"."""

    def __init__(self, kinds: list[Kind], level: Level, *contracts: str) -> None:
        suite = Suite()
        facts = RunFacts("mine", "mine", contracts, level, len(kinds), lambda _: GO_ON, lambda _: None)
        sources = sources_of(suite, find=facts.find, commands=lambda _: GO_ON)
        streams = {name: io.StringIO() for name in ("table", "jsonl", *PAGES)}
        reports: list[Any] = [
            TableReport(Console(file=streams["table"], width=120), facts, most_failures=0),
            JsonlReport(streams["jsonl"], facts, "1.0"),
            *(PageReport(streams[page], facts, page, sources) for page in PAGES),
        ]
        self.summary = Summary()
        for verdict, ruling in verdicts(kinds, level, contracts):
            self.summary.add(verdict, ruling)
            for report in reports:
                report.verdict(verdict, ruling)
        for report in reports:
            report.finish(self.summary)
        self.level = level
        self.text = {name: stream.getvalue() for name, stream in streams.items()}

    def totals(self) -> set[str]:
        """Return the totals in the sentence, table, badge, JSON Lines and JUnit of the run."""
        return {self.sentence, self.in_table("all"), self.badge, self.stream, self.junit}

    @property
    def sentence(self) -> str:
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", self.summary.sentence())}
        passed = counts["passed"]
        return f"{passed}/{passed + counts.get('failed', 0) + counts.get('error', counts.get('errors', 0))}"

    @property
    def table(self) -> list[list[str]]:
        lines = map(str.strip, self.text["table"].splitlines())
        return [line.split() for line in lines if re.match(r"\S+ +\d", line)]

    def in_table(self, name: str) -> str:
        (row,) = [row for row in self.table if row[0] == name]
        return row[2 + LEVELS.index(self.level)]

    @property
    def badge(self) -> str:
        return str(json.loads(self.text["badge"])["message"]).partition(",")[0].removesuffix(f" {self.level}")

    @property
    def markdown(self) -> list[str]:
        rows = [line.split(" | ") for line in self.text["markdown"].splitlines() if line.startswith("| mine")]
        return [row[4 + LEVELS.index(self.level)] for row in rows]

    @property
    def html(self) -> list[str]:
        table = self.text["html"].partition("<tbody")[2].partition("</tbody")[0]
        return re.findall(r"(\d+/\d+)", table)[LEVELS.index(self.level) :: 4]

    @property
    def stream(self) -> str:
        footer = json.loads(self.text["jsonl"].splitlines()[-1])
        return f"{footer['passed']}/{footer['passed'] + footer['failed'] + footer['error']}"

    @property
    def junit(self) -> str:
        root = ElementTree.fromstring(self.text["junit"])
        names = ("tests", "skipped", "failures", "errors")
        tests, skipped, failures, errors = (int(root.attrib[name]) for name in names)
        return f"{tests - skipped - failures - errors}/{tests - skipped}"


@pytest.mark.parametrize("level", LEVELS[:4])
@pytest.mark.parametrize("kinds", [MIXED, ALL_BROKEN])
def test_all_reports_state_the_same_numbers_and_count_errors(kinds: list[Kind], level: Level) -> None:
    numbers = AllReports(kinds, level, "2.1.7")
    judged = [kind for kind in kinds if kind[0] in ("passed", "failed", "error")]
    holding = sum(place > LEVELS.index(level) for _, place in judged)
    expected = f"{holding}/{len(judged)}"
    assert numbers.totals() == {expected}
    assert numbers.markdown == numbers.html == [expected]


@pytest.mark.parametrize("level", LEVELS[:4])
def test_for_several_contracts_the_numbers_are_in_one_table_and_summed_up(level: Level) -> None:
    numbers = AllReports(MIXED, level, "2.1.7", "2.1.40")
    one = AllReports(MIXED, level, "2.1.7").in_table("all")
    both = "/".join(str(2 * int(number)) for number in one.split("/"))
    assert [row[0] for row in numbers.table] == ["2.1.7", "2.1.40", "all", *REQUIREMENTS]
    assert (numbers.in_table("2.1.7"), numbers.in_table("2.1.40")) == (one, one)
    assert numbers.totals() == {both}
    assert numbers.markdown == numbers.html == [one, one]
    assert f"\nmine on 2 contracts, level {level}\n" in numbers.text["table"]


def test_no_report_shows_a_fraction_if_no_scenario_was_judged() -> None:
    numbers = AllReports(NOTHING, "text", "2.1.7")
    assert numbers.badge == "nothing judged"
    assert numbers.markdown == ["-"]
    assert "/" not in numbers.text["table"]
    assert numbers.sentence == "0/0"
