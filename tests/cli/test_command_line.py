from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import harness.run
import harness.testrun
from harness import cli, guard
from harness.session import BrokenAdapter, ToolResult
from harness.suite import Suite

from .conftest import FAILING, HOLDING, PASSES, RACES

Cli = Callable[..., SimpleNamespace]


@pytest.fixture
def readfirst(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command line in this process; returns code, out and err."""
    monkeypatch.setattr(guard.signal, "signal", lambda *_: None)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: object) -> SimpleNamespace:
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err or "--traceback" in arguments
        return SimpleNamespace(code=ended.value.code, out=captured.out, err=captured.err)

    return call


def test_a_suite_that_holds_exits_0_with_a_table_and_a_summary(readfirst: Cli, holding: Suite) -> None:
    ran = readfirst("run", "--fixtures", holding.root)
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["gate", "1", "1/1", "1/1", "1/1", "0", "0", "0"] in rows
    assert ["all", "2", "2/2", "2/2", "2/2", "0", "0", "0"] in rows
    assert ran.out.splitlines()[-1] == "2 scenarios: 2 passed; conformant"
    assert re.fullmatch(
        r"cost: start-up \S+ m?s, \S+ m?s per scenario, \S+ m?s per step; \S+ m?s in all\n", ran.err
    )


def test_a_failure_exits_1_and_shows_how_to_repeat_it(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "--fixtures", mixed.root)
    assert ran.code == 1
    assert f"{mixed.scenarios_root}/wrong/text.yaml:7:7" in ran.out
    assert "      -      1→alpha\\r\n      +      1→alpha\n" in ran.out
    command = f"readfirst run reference --contract 2.1.7 --level text --fixtures {mixed.root} wrong/text"
    assert f"  reproduce: {command}\n" in ran.out
    again = readfirst(*command.split()[1:])
    assert again.code == 1
    assert "1 scenario: 0 passed, 1 failed; not conformant" in again.out


def test_the_level_decides_what_counts(readfirst: Cli, mixed: Suite) -> None:
    assert readfirst("run", "wrong/text", "--level", "reason", "--fixtures", mixed.root).code == 0
    assert readfirst("run", "wrong/effects", "--level", "effects", "--fixtures", mixed.root).code == 1


def test_ids_may_follow_the_target_or_stand_alone(readfirst: Cli, mixed: Suite) -> None:
    for words in (["reading/lines"], ["reference", "reading/lines"], ["scenarios/reading/lines.yaml"]):
        ran = readfirst("run", *words, "--fixtures", mixed.root)
        assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 scenario: 1 passed; conformant")


def test_nothing_selected_exits_5(readfirst: Cli, holding: Suite) -> None:
    ran = readfirst("run", "-k", "nothing-is-called-so", "--fixtures", holding.root)
    assert (ran.code, ran.out) == (5, "")
    assert "nothing was selected" in ran.err
    assert readfirst("list", "-k", "nothing-is-called-so", "--fixtures", holding.root).code == 5


def test_nothing_judged_exits_5(readfirst: Cli, holding: Suite) -> None:
    ran = readfirst("run", "--contract", "documented", "--fixtures", holding.root)
    assert ran.code == 5
    assert "nothing was judged, so this is not a pass" in ran.out


def test_a_broken_adapter_exits_3(readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    class Raises:
        def open(self, workspace: object) -> Any:
            raise BrokenAdapter("it hung", blame="adapter")

    monkeypatch.setattr(harness.run, "connect", lambda *_, **__: Raises())
    ran = readfirst("run", "--fixtures", holding.root)
    assert ran.code == 3
    assert "BROKEN gate/not-read" in ran.out
    assert "blame: adapter" in ran.out


def test_an_adapter_that_does_not_start_exits_3(
    readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object, **__: object) -> None:
        raise BrokenAdapter("npm is not there", blame="environment")

    monkeypatch.setattr(harness.run, "connect", connect)
    ran = readfirst("run", "--fixtures", holding.root)
    assert (ran.code, ran.err) == (3, "readfirst: npm is not there\n")


@pytest.mark.parametrize("command", ["run", "list"])
def test_an_invalid_suite_exits_4_with_the_place(
    readfirst: Cli, make_suite: Callable[[dict[str, str]], Suite], command: str
) -> None:
    suite = make_suite({"reading/broken": PASSES.replace("must", "may")})
    ran = readfirst(command, "--fixtures", suite.root)
    assert ran.code == 4
    assert f"{suite.scenarios_root}/reading/broken.yaml:2:14: requirement cannot be 'may'" in ran.err


def test_a_folder_without_a_suite_exits_4(readfirst: Cli, tmp_path: Path) -> None:
    ran = readfirst("run", "--fixtures", tmp_path)
    assert ran.code == 4
    assert "there is no folder `scenarios` here" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "gate/not-raed"], "Did you mean 'gate/not-read'?"),
        (["run", "refrence", "--format", "jsonl"], "there is no kind 'refrence'. Did you mean reference?"),
        (["run", "python:no_such_module:Tools"], "there is no module no_such_module"),
        (["run", "--contract", "2.1.7x"], "there is no contract '2.1.7x'. Did you mean 2.1.7?"),
        (["run", "--contract", "documented", "--level", "verbatim"], "documented has none"),
        (["run", "--family", "gat"], "Did you mean 'gate'?"),
        (["run", "-k", "a b"], "`and` or `or` is expected"),
        (["run", "--failures", "many"], "neither a number nor `all`"),
        (["run", "--update-baseline"], "needs --baseline"),
        (["run", "--baseline-update"], "needs --baseline"),
        (["run", "--baseline", "/nowhere/x.yaml"], "the file cannot be read"),
        (
            ["run", "--output", "/nowhere/report.xml", "--format", "junit"],
            "Name a file in an existing folder",
        ),
        (["show", "gate/not-raed"], "Did you mean 'gate/not-read'?"),
        (["show", "gate/not-read", "--contract", "9"], "there is no contract '9'"),
        (["record", "--contract", "documented"], "nothing can be recorded"),
        (["record", "--fix", "--check"], "exclude each other"),
    ],
)
def test_wrong_usage_exits_2_with_a_suggestion(
    readfirst: Cli, holding: Suite, words: list[str], told: str
) -> None:
    ran = readfirst(*words, "--fixtures", holding.root)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--levl", "text"], "--level"),
        (["run", "--level", "exact"], "effects"),
        (["run", "-j", "0"], "-j"),
        (["run", "--time-limit", "soon"], "--time-limit"),
        (["rnu"], "run"),
        (["show"], "ID"),
    ],
)
def test_a_wrong_flag_or_command_exits_2_and_names_the_right_one(
    readfirst: Cli, words: list[str], told: str
) -> None:
    ran = readfirst(*words)
    assert ran.code == 2
    assert told in ran.err


def test_jsonl_goes_to_standard_output_alone(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "--format", "jsonl", "--fixtures", mixed.root)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["type"] for line in lines] == ["header", *["verdict"] * 4, "footer"]
    assert (ran.code, lines[-1]["exit_code"]) == (1, 1)
    assert ran.err.startswith("4 scenarios: 2 passed, 2 failed\ncost: ")


def test_a_report_file_comes_beside_the_table(readfirst: Cli, mixed: Suite, tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    ran = readfirst("run", "--format", "junit", "--output", file, "--fixtures", mixed.root)
    assert ran.code == 1
    assert "not conformant" in ran.out
    assert ElementTree.parse(file).getroot().get("failures") == "2"
    ran = readfirst("run", "--output", tmp_path / "report.txt", "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (1, "")
    assert "not conformant" in (tmp_path / "report.txt").read_text()


def test_a_report_file_stays_as_it_was_when_the_suite_turns_out_invalid(
    readfirst: Cli, make_suite: Callable[[dict[str, str]], Suite], tmp_path: Path
) -> None:
    suite = make_suite({**HOLDING, "z/broken": "title: ["})
    file = tmp_path / "report.jsonl"
    file.write_text("old")
    assert readfirst("run", "--format", "jsonl", "--output", file, "--fixtures", suite.root).code == 4
    assert file.read_text() == "old"


def test_workers_give_the_same_report(readfirst: Cli, mixed: Suite) -> None:
    one = readfirst("run", "--fixtures", mixed.root)
    two = readfirst("run", "-j", "2", "--fixtures", mixed.root)
    assert (one.code, one.out) == (two.code, two.out)


def test_a_baseline_written_from_a_run_makes_the_next_run_green(
    readfirst: Cli, mixed: Suite, tmp_path: Path
) -> None:
    words = ["run", "--fixtures", mixed.root, "--baseline", tmp_path / "accepted.yaml"]
    assert readfirst(*words, "--update-baseline").code == 0
    ran = readfirst(*words)
    assert ran.code == 0
    assert "2 of these accepted by the baseline; conformant" in ran.out
    assert readfirst(*words, "--level", "effects").code == 0
    assert readfirst(*words, "wrong/text").code == 0


def test_a_baseline_that_is_out_of_date_exits_1_and_shows_the_line(
    readfirst: Cli, holding: Suite, tmp_path: Path
) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text("target: reference\naccepted:\n- {scenario: gate/not-read, fails: [text], reason: r}\n")
    ran = readfirst("run", "--fixtures", holding.root, "--baseline", file)
    assert ran.code == 1
    assert f"BASELINE {file}:3:3: gate/not-read (2.1.7) passes now" in ran.out
    assert readfirst("run", "--fixtures", holding.root, "--baseline", file, "reading/lines").code == 0


def test_a_baseline_of_another_target_or_scenario_exits_2(
    readfirst: Cli, holding: Suite, tmp_path: Path
) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text("target: python:m:T\naccepted: []\n")
    ran = readfirst("run", "--fixtures", holding.root, "--baseline", file)
    assert (ran.code, "of the target 'python:m:T'" in ran.err) == (2, True)
    file.write_text("target: reference\naccepted:\n- {scenario: gate/gone, fails: [text], reason: r}\n")
    ran = readfirst("run", "--fixtures", holding.root, "--baseline", file)
    assert (ran.code, f"{file}:3:14: no scenario has the id 'gate/gone'" in ran.err) == (2, True)


def test_list_shows_id_requirement_and_title(readfirst: Cli, holding: Suite) -> None:
    ran = readfirst("list", "--fixtures", holding.root)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "gate/not-read\tmust\tEdit refuses a file that was not read",
        "reading/lines\tmust\tRead shows a file with numbered lines",
    ]


def test_show_tells_what_is_given_asked_and_expected(
    readfirst: Cli, make_suite: Callable[[dict[str, str]], Suite]
) -> None:
    suite = make_suite({"races/edit": RACES})
    ran = readfirst("show", "races/edit", "--fixtures", suite.root)
    assert ran.code == 0
    assert "  notes.txt, 6 bytes\n    | alpha\\n\n" in ran.out
    assert 'step 2: Edit {file_path: "$WS/notes.txt", old_string: "alpha", new_string: "gamma"}' in ran.out
    assert "  during: modify notes.txt, mtime +2s\n  refused: unexpectedly_modified\n" in ran.out
    ran = readfirst("show", "races/edit", "--contract", "documented", "--fixtures", suite.root)
    assert "documented says nothing about this" in ran.out


def test_help_explains_how_to_connect_an_implementation(readfirst: Cli) -> None:
    ran = readfirst("--help")
    assert ran.code == 0
    for part in (
        "def open(self, workspace):",
        "ToolResult(",
        "Exit codes:",
        "readfirst run python:mymodule:Tools",
    ):
        assert part in ran.out
    assert "claude-code:2.1.7" in readfirst("run", "--help").out


def test_an_error_of_our_own_is_one_line_and_exits_70(
    readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def perform(_: object) -> int:
        raise ZeroDivisionError("of\nours")

    monkeypatch.setattr(harness.testrun, "perform", perform)
    ran = readfirst("run", "--fixtures", holding.root)
    assert ran.code == 70
    assert ran.err.startswith("readfirst: unexpected ZeroDivisionError: of ours\n")
    shown = readfirst("run", "--fixtures", holding.root, "--traceback")
    assert shown.code == 70
    assert "Traceback" in shown.err


def test_an_interrupt_finishes_the_stream_and_is_quiet(
    readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def open(self, workspace: object) -> Any:
            return self

        def call(self, tool: str, arguments: object) -> ToolResult:
            if tool == "Read":
                raise KeyboardInterrupt
            return ToolResult("?")

    monkeypatch.setattr(harness.run, "connect", lambda *_, **__: Interrupted())
    ran = readfirst("run", "--format", "jsonl", "--fixtures", holding.root)
    assert (ran.code, ran.err) == (130, "")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["type"] for line in lines] == ["header", "verdict", "footer"]
    assert lines[-1]["interrupted"] is True


def python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_a_broken_pipe_is_quiet(make_suite: Callable[[dict[str, str]], Suite]) -> None:
    suite = make_suite({f"many/{'x' * 100}{number:04}": PASSES for number in range(800)})
    read, write = os.pipe()
    os.close(read)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "harness.cli", "list", "--fixtures", suite.root],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_text_that_the_terminal_cannot_show_does_not_end_a_run(mixed: Suite) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = python("-m", "harness.cli", "run", "--fixtures", mixed.root, env=environment)
    assert ran.returncode == 1
    assert "\\u2192" in ran.stdout


def test_listing_imports_nothing_that_only_a_run_needs(holding: Suite) -> None:
    code = (
        "import sys\nfrom harness.cli import main\n"
        "try:\n    main(['list', '--fixtures', sys.argv[1]])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'rich.console', 'rich.table', 'jsonschema', 'mcp', 'pytest', 'reference_impl', 'ruamel', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert python("-c", code, holding.root).stdout.splitlines()[-1] == "[]"


def test_the_fixtures_of_these_tests_fail_as_they_should(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "--format", "jsonl", "--fixtures", mixed.root)
    failed = {
        line["scenario"] for line in map(json.loads, ran.out.splitlines()) if line.get("status") == "failed"
    }
    assert failed == set(FAILING)


def test_streams_of_several_runs_become_one_page(readfirst: Cli, mixed: Suite, tmp_path: Path) -> None:
    streams = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for stream, contract in zip(streams, ("2.1.7", "documented"), strict=True):
        readfirst(
            "run", "--contract", contract, "--format", "jsonl", "--output", stream, "--fixtures", mixed.root
        )
    ran = readfirst("report", *streams, "--fixtures", mixed.root)
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split(" | ")[:4] for line in ran.out.splitlines() if line.startswith("| reference")]
    assert rows == [
        ["| reference", "2.1.7", "text", "**not conformant**"],
        ["| reference", "documented", "text", "nothing judged"],
    ]
    page = tmp_path / "report.html"
    ran = readfirst("report", *streams, "--format", "html", "--output", page, "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (0, "")
    assert page.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("format_", ["markdown", "html", "badge"])
def test_a_stream_without_its_footer_exits_3_and_writes_nothing(
    readfirst: Cli, mixed: Suite, tmp_path: Path, format_: str
) -> None:
    stream, page = tmp_path / "cut.jsonl", tmp_path / "page"
    readfirst("run", "--format", "jsonl", "--output", stream, "--fixtures", mixed.root)
    stream.write_text("".join(stream.read_text().splitlines(keepends=True)[:-1]))
    ran = readfirst("report", stream, "--format", format_, "--output", page, "--fixtures", mixed.root)
    assert (ran.code, ran.out) == (3, "")
    assert "cut.jsonl:5: the stream ends without its footer: the run was cut off. Run it again." in ran.err
    assert not page.exists()


def test_a_report_of_a_file_that_is_not_there_exits_2(readfirst: Cli, tmp_path: Path) -> None:
    ran = readfirst("report", tmp_path / "nowhere.jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert "nowhere.jsonl cannot be read" in ran.err


@pytest.mark.parametrize(
    ("format_", "begins"), [("markdown", "# Conformance"), ("html", "<!DOCTYPE html>"), ("badge", "{")]
)
def test_a_run_writes_a_page_itself(readfirst: Cli, mixed: Suite, format_: str, begins: str) -> None:
    ran = readfirst("run", "--format", format_, "--fixtures", mixed.root)
    assert ran.code == 1
    assert ran.out.startswith(begins)
    assert ran.err.startswith("4 scenarios: 2 passed, 2 failed\n")
