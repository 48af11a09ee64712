import base64
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.verdict import Level, Status, Verdict
from readfirst.harness.report import html
from readfirst.harness.report.html import version_lines
from readfirst.harness.report.results import PAGES, Page, PageReport, Results, Run
from readfirst.harness.run.runner import run as replayed
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli, CliResult
from tests.parsed import ParsedPage
from tests.rows import rows
from tests.verdicts import run, sources_of, verdict, with_baseline_result, write_report_of

from .conftest import REFUSES, MakeSuite, record_alike
from .test_reports import VERDICTS, facts


def results(*verdicts: Verdict, target: str = "python:module:Tools", level: Level = "text") -> Results:
    return Results((run(*verdicts, target=target, level=level),))


def page_of(suite: Suite) -> str:
    """Return the HTML page of a run of the reference."""
    return sources_of(suite).write("html", Results((run(*replayed(suite, "reference", ["2.1.7"])),)))


@pytest.mark.parametrize("page", PAGES)
def test_a_run_and_the_report_of_its_json_lines_write_the_same_page(mixed: Suite, page: Page) -> None:
    def make(stream: Any) -> PageReport:
        return PageReport(stream, facts(), page, sources_of(mixed))

    read = Results((run(*VERDICTS, target="python:module:Tools", name="mine"),))
    direct = sources_of(mixed).write(page, read)
    assert write_report_of(make, VERDICTS) == direct
    assert write_report_of(make, VERDICTS, interrupted=True) != direct


def test_scenario_details_contain_the_exact_difference(mixed: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    details = ParsedPage(page_of(mixed)).json["wrong"]["wrong/text"]
    (step,) = details["steps"]
    assert (step["kind"], step["head"]) == ("call", "Read")
    assert step["calls"][0]["blocks"] == [{"label": "file_path", "lines": ["$WS/notes.txt"]}]
    ((names, expected),) = details["expected"]
    assert names == ["2.1.7"]
    assert expected == [[[{"label": "text", "lines": ["     1→alpha\\r", "     2→"]}]]]
    monkeypatch.setattr(html, "MAX_SCENARIOS_WITH_ALL_STEPS", 1)
    brief = ParsedPage(page_of(mixed)).json
    assert brief["wrong"]["wrong/text"] == details
    passed = brief["reading"]["reading/lines"]
    assert (passed["steps"], passed["expected"]) == ([], [])
    (difference,) = details["runs"]["0"]["differences"]
    assert (difference["step"], difference["call"], difference["level"]) == (0, 0, "text")
    assert difference["lines"][:2] == [["-", "     1→alpha\\r"], ["+", "     1→alpha"]]
    assert details["given"] == [{"label": "notes.txt, 6 bytes", "lines": ["alpha\\n"]}]


def test_the_html_page_loads_no_file_from_elsewhere(mixed: Suite) -> None:
    text = page_of(mixed)
    page = ParsedPage(text)
    for _, attributes in page.elements:
        assert not {"src", "srcset", "data", "action", "background"} & attributes.keys()
        assert (attributes.get("href") or "#").startswith("#")
    assert not page.all("link")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert not re.search(r"url\(|@import", style)
    (script,) = page.scripts
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|innerHTML|eval\(|WebSocket", script)
    (policy,) = [each["content"] or "" for each in page.all("meta") if each.get("http-equiv")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_every_id_in_the_html_page_is_unique_and_every_label_refers_to_an_id(mixed: Suite) -> None:
    page = ParsedPage(page_of(mixed))
    ids = [each["id"] for _, each in page.elements if each.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        assert (attributes.get("aria-labelledby") or "runs") in ids
    skip = page.all("a")[0]
    assert (skip["class"], (skip["href"] or "")[1:] in ids) == ("skip", True)


def test_runs_on_several_contracts_are_one_line_with_the_changes_between(make_suite: MakeSuite) -> None:
    suite = make_suite({"gate/worded": REFUSES})
    file = suite.root / "contracts.yaml"
    (first,) = re.findall(r"^  2\.1\.7:\n(?:    .*\n)+", file.read_text(), re.MULTILINE)
    file.write_text(file.read_text() + first.replace("2.1.7", "2.2.0"))
    suite = Suite(suite.root)
    record_alike(suite, "2.2.0", text="Read it.")
    statuses: dict[str, Status] = {"2.2.0": "failed", "2.1.7": "passed", "documented": "unspecified"}
    runs = [
        run(verdict("gate/worded", status, contract=name), target="python:a:b", contract=name)
        for name, status in statuses.items()
    ]
    (line,) = version_lines(Results(tuple(runs)), lambda *_: True)
    assert [change["contract"] for change in line["changes"]] == ["2.1.7", "2.2.0"]
    lists = ("scenarios with another expectation", "no longer hold")
    assert line["changes"][1]["lists"] == {name: ["gate/worded"] for name in lists}
    text = sources_of(suite).write("html", Results(tuple(runs)))
    assert "1 scenarios with another expectation" in text
    assert "1 no longer hold" in text
    details = ParsedPage(text).json["gate"]["gate/worded"]
    assert [names for names, _ in details["expected"]] == [["documented"], ["2.1.7"], ["2.2.0"]]


def test_runs_of_one_command_have_the_same_number_in_every_report(mixed: Suite) -> None:
    def of(contract: str, series: int) -> Run:
        failed = verdict("wrong/text", fails="text", contract=contract)
        return run(failed, target="mcp:node /home/x/s.mjs", contract=contract, name="s", series=series)

    # The first command has one contract, the second has two. Numbers by position would call the last run "s (3)".
    results = Results((of("2.1.7", 0), of("2.1.7", 1), of("2.1.40", 1)))
    assert results.names == ("s (1)", "s (2)", "s (2)")
    assert results.labels() == ("s (1) on 2.1.7", "s (2) on 2.1.7", "s (2) on 2.1.40")
    (line,) = version_lines(results, lambda *_: False)
    assert (line["target"], len(line["changes"])) == ("s (2)", 2)
    markdown = sources_of(mixed).write("markdown", results)
    found = re.findall(r"^\| (s \(\d\)) \| (\S+) \|", markdown, re.MULTILINE)
    assert [f"{name} on {contract}" for name, contract in found] == list(results.labels())
    assert re.findall(r"^## (.*)$", markdown, re.MULTILINE) == list(results.labels())
    page = sources_of(mixed).write("html", results)
    assert [each["label"] for each in ParsedPage(page).json["index"]["runs"]] == list(results.labels())
    for label in results.labels():
        assert f" {label}</option>" in page
    assert re.findall(r'<th scope="row" role="rowheader">.*?class="name">(.*?)<', page) == list(results.names)
    assert re.findall(r'<h3 class="words">(.*?)</h3>', page) == ["s (2)"]
    assert "readfirst: s (1), s (2)</title>" in page
    for text in (markdown, page):
        assert "/home/x/s.mjs" not in re.sub(r"readfirst run [^\n]*", "", text)


@rows(
    ("judged", "message", "color"),
    [
        (verdict(status="passed"), "1/1 text", "brightgreen"),
        (with_baseline_result(verdict(fails="reason"), accepted="known"), "0/1 text", "yellow"),
        (verdict(fails="reason"), "0/1 text", "orange"),
        (verdict(fails="effects"), "0/1 text", "red"),
        (verdict(status="error"), "0/1 text", "red"),
        (verdict(status="unsupported"), "nothing judged", "lightgrey"),
        (None, "interrupted", "lightgrey"),
    ],
)
def test_a_badge_shows_the_worst_failure(mixed: Suite, judged: Any, message: str, color: str) -> None:
    made = run(judged) if judged else run(interrupted=True)
    badge = json.loads(sources_of(mixed).write("badge", Results((made,))))
    assert badge == {"schemaVersion": 1, "label": "readfirst on 2.1.7", "message": message, "color": color}


def test_runs_are_named_by_letters_and_described_by_their_differences(mixed: Suite) -> None:
    def of(target: str, contract: str = "2.1.7", level: Level = "text", name: str = "") -> Run:
        passed = verdict("wrong/text", "passed", contract=contract, level=level)
        return run(passed, target=target, contract=contract, level=level, name=name)

    def describe_runs(*runs: Run) -> list[str]:
        index = ParsedPage(sources_of(mixed).write("html", Results(runs))).json["index"]
        return ["|".join((each["key"], each["short"], each["facts"])) for each in index["runs"]]

    assert describe_runs(of("target:agno@3.1.10")) == ["|agno@3.1.10|"]
    two = describe_runs(of("mcp:node server.mjs"), of("python:mytools:Tools"))
    assert two == ["A|node server.mjs|", "B|mytools:Tools|"]
    unlike = describe_runs(of("reference"), of("x:y", "2.1.328", "reason", name="mine: new"))
    assert unlike == ["A|reference|2.1.7, level text", "B|mine: new|2.1.328, level reason"]
    many = describe_runs(*(of(f"python:n{number}:Tools") for number in range(28)))
    assert [each.partition("|")[0] for each in many[24:]] == ["Y", "Z", "AA", "AB"]


@rows(
    ("holds", "tone"),
    [(100, "good"), (99, "1"), (90, "1"), (89, "2"), (70, "2"), (41, "3"), (39, "4"), (1, "4"), (0, "5")],
)
def test_the_colour_of_a_number_depends_on_the_share_of_failures(mixed: Suite, holds: int, tone: str) -> None:
    verdicts = [
        verdict(f"many/n{number}", fails="reason" if number < holds else "safe", level="reason")
        for number in range(100)
    ]
    text = sources_of(mixed).write("html", results(*verdicts, level="reason"))
    cells = re.findall(r'<td class="number (\S+?)(?: first)?" data-level="(\w+)">', text)
    # At the level `reason` all scenarios fail. A level that the run did not check has no colour.
    effects = "good" if holds == 100 else f"harm-{tone}"
    assert cells == [(effects, "safe"), (effects, "effects"), ("wording-5", "reason"), ("above", "text")]


def test_the_markdown_report_counts_the_failures_that_it_does_not_show(mixed: Suite) -> None:
    verdicts = [verdict(f"wrong/n{number:02}") for number in range(23)]
    text = sources_of(mixed).write("markdown", results(*verdicts))
    assert text.count("<details>") == 20
    assert "3 more failures, which do less harm, are not shown." in text


@pytest.fixture
def on_terminal(readfirst: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A function that runs a command line whose standard output is a terminal of 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")

    def call(*words: object) -> CliResult:
        # capsys uses a different stream in each phase of a test.
        with monkeypatch.context() as patch:
            patch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
            return readfirst(*words)

    return call


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


@pytest.fixture
def streams(readfirst: Cli, mixed: Suite, tmp_path: Path) -> list[Path]:
    """The JSON Lines of two runs of one target: a run on one contract, and a run on two contracts."""
    record_alike(mixed, "2.1.40")
    made = []
    for number, contracts in enumerate((("2.1.7",), ("2.1.7", "2.1.40"))):
        file = tmp_path / f"{number}.jsonl"
        words = [word for name in contracts for word in ("--contract", name)]
        readfirst("run", *words, "--format", "jsonl", "--output", file, "--fixtures", mixed.root)
        made.append(file)
    return made


def test_the_report_of_a_run_equals_its_output(on_terminal: Cli, mixed: Suite, streams: list[Path]) -> None:
    ran = on_terminal("report", streams[0], "--fixtures", mixed.root)
    printed = plain(on_terminal("run", "--fixtures", mixed.root).out)
    # The progress bar has disappeared. JSON lines do not contain the position of an expectation in the suite.
    texts = (plain(ran.out), printed[printed.index("FAILED") :])
    assert len({re.sub(r"yaml:\d+:\d+", "yaml", text) for text in texts}) == 1
    assert "\x1b[" in ran.out
    for mark in ("| ---", "# Conformance", "<details>", "```"):
        assert mark not in ran.out


def test_several_runs_are_shown_side_by_side(on_terminal: Cli, mixed: Suite, streams: list[Path]) -> None:
    text = plain(on_terminal("report", *streams, "--fixtures", mixed.root).out)
    assert "reference (1) on 2.1.7, level text; suite\n" in text
    assert "reference (2) on 2 contracts, level text; suite\n" in text
    rows = [" ".join(line.split()) for line in text.splitlines()]
    of_runs = ("reference (1) 2.1.7", "reference (2) 2.1.7", "reference (2) 2.1.40")
    assert rows[-3:] == [f"{name} text 4 3/4 3/4 3/4 2/4 0 0 0" for name in of_runs]


def test_the_option_failures_limits_explanations(on_terminal: Cli, mixed: Suite, streams: list[Path]) -> None:
    def count_failures(*words: str) -> int:
        text = plain(on_terminal("report", *streams, *words, "--fixtures", mixed.root).out)
        return len(re.findall(r"^FAILED", text, re.MULTILINE))

    assert count_failures() == 1 + 1
    assert [count_failures("--failures", most) for most in ("1", "0", "all")] == [1 + 1, 0, 2 + 4]
    assert on_terminal("report", *streams, "--failures", "some", "--fixtures", mixed.root).code == 2
