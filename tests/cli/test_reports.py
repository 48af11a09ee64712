import io
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.report import Commands, Report, RunFacts, output
from readfirst.harness.report.failure import brief, failure_text
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.report.results import PageReport
from readfirst.harness.report.table import TableReport
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io.finding import Position
from tests.rows import rows
from tests.verdicts import sources_of, verdict, with_baseline_result, write_report_of

NASTY = "a\x00\x1b[31m\r\n\ufffe\udc80]]>&<\u2028"
MINE = Commands("readfirst run mine", "readfirst show")


def difference(expected: str = "alpha", got: str = NASTY, **parts: object) -> Difference:
    place = Position(Path("/suite/scenarios/family/text.yaml"), 7, 5)
    return Difference(0, 0, "text", "text", expected, got, position=place, **parts)


VERDICTS = [
    with_baseline_result(verdict("family/passes", "passed", fails="verbatim", milliseconds=1.25, calls=2)),
    with_baseline_result(verdict("family/text", "failed", difference(), blame="implementation", calls=1)),
    with_baseline_result(verdict("family/known", "failed", difference()), accepted=NASTY),
    with_baseline_result(verdict("family/stale", "passed", fails="verbatim"), stale=f"a.yaml:3:5: {NASTY}"),
    with_baseline_result(verdict("other/hangs", "error", blame="adapter", reason=NASTY)),
    with_baseline_result(verdict("other/races", "unsupported", reason="the adapter lacks during")),
    with_baseline_result(verdict("other/silent", "unspecified", reason="2.1.7 says nothing about it")),
]


def facts(suite: Suite | None = None, **others: Any) -> RunFacts:
    usual = RunFacts(
        target="python:module:Tools",
        name="mine",
        contracts=("2.1.7",),
        level="text",
        scenarios=len(VERDICTS),
        commands=lambda contract: Commands(
            f"readfirst run python:module:Tools --contract {contract}",
            f"readfirst show --contract {contract}",
        ),
        find=lambda scenario_id: suite.scenario(scenario_id) if suite else None,
    )
    return replace(usual, **others)


def jsonl(stream: io.StringIO) -> Report:
    return JsonlReport(stream, facts(), "1.0")


def junit(stream: io.StringIO) -> Report:
    commands = {"commands": lambda run: facts().commands(run.contract), "find": facts().find}
    return PageReport(stream, facts(), "junit", sources_of(Suite(), **commands))


def table(stream: io.StringIO) -> Report:
    return TableReport(Console(file=stream, width=110), facts(), most_failures=20)


SCHEMA = json.loads((default_root() / "schema" / "result.schema.json").read_text())
Draft202012Validator.check_schema(SCHEMA)


def schema_errors(line: object) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(line)]


@rows(
    ("expected", "got", "summary"),
    [
        ("a\nb\nc", "a\nB\nc", "step 1: text: expected b, got B"),
        ("a\nb", "a", "step 1: text: expected b, got nothing more"),
        ("", " a", 'step 1: text: expected "", got " a"'),
        ("a" * 61, NASTY, f"step 1: text: expected {'a' * 60}…, got a\\x00\\x1b[31m\\r"),
    ],
)
def test_the_summary_of_a_failure_is_its_first_different_line(expected: str, got: str, summary: str) -> None:
    found = (difference(expected, got), difference("1", "2"))
    assert brief(verdict("family/text", "failed", *found)) == summary


def test_every_json_line_follows_the_schema() -> None:
    lines = [json.loads(line) for line in write_report_of(jsonl, VERDICTS).splitlines()]
    assert [line["type"] for line in lines] == ["header", *["verdict"] * len(VERDICTS), "footer"]
    assert [schema_errors(line) for line in lines] == [[]] * len(lines)


OPTIONAL = ("requirement", "rule", "length")
"""Fields of verdicts that JSON Lines of an earlier readfirst lack."""


def test_the_schema_of_json_lines_refuses_missing_and_unknown_keys() -> None:
    for line in map(json.loads, write_report_of(jsonl, VERDICTS).splitlines()):
        assert schema_errors({**line, "colour": "red"})
        for key in {*line} - {*OPTIONAL, "name", "blame", "reason", "accepted", "stale", "differences"}:
            assert schema_errors({name: value for name, value in line.items() if name != key})


def test_the_junit_report_is_valid_xml_with_any_text_and_states_an_interruption() -> None:
    text = write_report_of(junit, VERDICTS)
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert [suite.get("name") for suite in root] == ["family", "other"]
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert len(cases) == len(VERDICTS)
    assert list(cases["passes"]) == []
    assert (cases["passes"].get("classname"), cases["passes"].get("time")) == ("2.1.7.family", "0.001250")
    (failure,) = cases["text"]
    said = "step 1: text: expected alpha, got a\\x00\\x1b[31m\\r"
    assert (failure.tag, failure.get("message")) == ("failure", said)
    assert "+ a\\x00\\x1b[31m\\r" in (failure.text or "")
    tags = [child.tag for name in ("known", "stale", "hangs", "races", "silent") for child in cases[name]]
    assert tags == ["skipped", "failure", "error", "skipped", "skipped"]
    root = ElementTree.fromstring(write_report_of(junit, VERDICTS, interrupted=True).encode("utf-8"))
    assert root.get("errors") == "2"
    assert "interrupted after 7 scenarios" in [error.get("message") for error in root.iter("error")]


@rows(
    ("verdicts", "closing"),
    [
        (VERDICTS[:1], "conformant"),
        (VERDICTS[:2], "not conformant"),
        (VERDICTS, "error: the adapter or the environment failed, so the result is incomplete"),
        (VERDICTS[5:], "nothing was judged, so this is not a pass"),
    ],
)
def test_the_last_line_of_a_run_states_whether_the_target_is_conformant(
    verdicts: list[tuple[Verdict, BaselineResult]], closing: str
) -> None:
    assert write_report_of(table, verdicts).splitlines()[-1].endswith(f"; {closing}")


def test_if_a_failure_has_many_differences_the_omitted_ones_are_counted() -> None:
    failed = verdict("family/text", "failed", *[difference()] * 30)
    assert "[22 more differences]" in failure_text(failed, None, MINE)


def test_a_report_file_is_replaced_only_by_a_complete_report(tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError), output(file) as stream:
        stream.write("half \udc80")
    assert file.read_text() == "old"
    with output(file) as stream:
        stream.write("new")
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_without_a_terminal_progress_is_printed_every_30_s(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter((0, 31, 35, 44, 53, 57, 62))
    with ProgressBar(Console(file=io.StringIO()), 12, clock=lambda: float(next(seconds))) as bar:
        for number in range(6):
            bar.advance(failed=number == 1)
    said = "1 of 12 done; 31 s so far\n6 of 12 done, 1 failed; 62 s so far, about 37 s left\n"
    assert capsys.readouterr() == ("", said)


def test_a_slow_scenario_is_reported_and_not_extrapolated(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter((0, 30, 31, 32, 92, 92.5))
    with ProgressBar(Console(file=io.StringIO()), 100, clock=lambda: float(next(seconds))) as bar:
        for number in range(5):
            bar.advance(f"a/{number}", calls=number)
    assert capsys.readouterr().err.splitlines() == [
        "1 of 100 done; 30 s so far",
        "a/3 took 60 s for 3 calls",
        "4 of 100 done; 92 s so far, about 96 s left",
    ]


def test_a_table_on_a_narrow_terminal_shows_every_number_in_full() -> None:
    verdicts = [with_baseline_result(verdict(f"a-long-one/{n}", "passed")) for n in range(1234)]
    printed = write_report_of(lambda stream: TableReport(Console(file=stream, width=80), facts()), verdicts)
    row = ["a-long-one", "1234", "1234/1234", "1234/1234", "1234/1234", "1234/1234", "0", "0", "0"]
    assert row in [line.split() for line in printed.splitlines()]
    assert all(len(line) <= 80 for line in printed.splitlines())
