"""Options for developers: run the last failures, keep workspaces, trace calls, watch files."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.processes import trace
from readfirst.harness.run.last_failed import LastFailed
from readfirst.harness.run.runner import Runner
from readfirst.harness.run.watch import rerun, written_by
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli
from tests.pages.page import CHECKOUT

STREAM = Path("lines.jsonl")
TO_STREAM = ("--format", "jsonl", "--output", STREAM)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty cache and current directory, because both store the last failures."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def run_mixed(readfirst: Cli, mixed: Suite) -> Cli:
    """A function that runs the reference on the suite `mixed` with these options."""
    return partial(readfirst, "run", "reference", "--fixtures", mixed.root)


def scenarios_in(stream: Path) -> list[str]:
    lines = map(json.loads, stream.read_text().splitlines())
    return [line["scenario"] for line in lines if line["type"] == "verdict"]


def test_the_option_last_failed_selects_a_scenario_until_it_passes(run_mixed: Cli) -> None:
    assert run_mixed().code == 1
    again = ("--last-failed", *TO_STREAM)
    assert run_mixed(*again).code == 1
    assert scenarios_in(STREAM) == ["wrong/effects", "wrong/text"]
    # At the level `effects` one scenario passes. The failure of the other scenario, which is not selected, is kept.
    assert run_mixed(*again, "--level", "effects", "wrong/text").code == 0
    assert scenarios_in(STREAM) == ["wrong/text"]
    assert run_mixed(*again).code == 1
    assert scenarios_in(STREAM) == ["wrong/effects"]


def test_an_interrupted_run_completes_the_json_lines_and_names_the_failures(
    readfirst: Cli, holding: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def open(self, workspace: object) -> Any:
            return self

        def call(self, tool: str, arguments: object) -> ToolResult:
            if tool == "Read":
                raise KeyboardInterrupt
            return ToolResult("?")

    monkeypatch.setattr("readfirst.harness.run.runner.connect", lambda *_, **__: Interrupted())
    ran = readfirst("run", "--format", "jsonl", "--fixtures", holding.root)
    again = "readfirst run reference --level text --fixtures ../suite"
    assert ran.code == 130
    assert ran.err.splitlines() == [
        "interrupted after 1 of 2 scenarios; 1 failed: gate/not-read",
        f"run the failed scenarios again: {again} --last-failed",
        f"run the scenarios that were not reached: {again} --continue",
    ]
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["type"] for line in lines] == ["header", "verdict", "footer"]
    assert lines[-1]["interrupted"] is True


def test_the_option_continue_runs_the_scenarios_that_an_interrupted_run_did_not_reach(
    run_mixed: Cli, mixed: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Runner.verdicts

    def judge_or_interrupt(runner: Runner, scenario_id: str) -> object:
        if scenario_id == "wrong/text":
            raise KeyboardInterrupt
        return judge(runner, scenario_id)

    with monkeypatch.context() as patch:
        patch.setattr(Runner, "verdicts", judge_or_interrupt)
        ran = run_mixed("--require", "Read,Edit")
    assert ran.code == 130
    first, *_, last = ran.err.splitlines()
    number = len(mixed.ids())
    assert first == f"interrupted after {number - 1} of {number} scenarios; 1 failed: wrong/effects"
    assert last.startswith("run the scenarios that were not reached: readfirst run reference ")
    assert last.endswith(" --require Edit,Read --continue")
    assert run_mixed("--continue", "--lf", "--level", "safe", "wrong/text", *TO_STREAM).code == 0
    assert scenarios_in(STREAM) == ["wrong/text"]
    ran = run_mixed("--continue")
    assert (ran.code, "no selected scenario was left untested" in ran.err) == (5, True)


def test_last_failed_is_an_error_before_the_first_run(readfirst: Cli, holding: Suite, monkeypatch) -> None:
    words = ("run", "reference", "--fixtures", holding.root)
    assert readfirst(*words).code == 0
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    ran = readfirst(*words, "--last-failed")
    said = "reference has not been run in this directory yet on 2.1.7. Run it once without --last-failed"
    assert (ran.code, said in ran.err) == (2, True)


def test_a_damaged_file_with_the_last_failures_is_ignored(tmp_path: Path) -> None:
    last = LastFailed("reference", [tmp_path], "2.1.7", tmp_path / "kept")
    assert last.ids() is None
    last.store({"a/b": False, "c/d": True})
    last.store({"e/f": False}, ["e/f", "g/h"])
    assert (last.ids(), last.untested()) == (["c/d"], ["g/h"])
    last.store({"g/h": False}, ["g/h"])
    assert (last.ids(), last.untested()) == (["c/d"], [])
    (file,) = (tmp_path / "kept").iterdir()
    for damaged in ("{", "{}", "[1]", '[["a/b"], [1]]'):
        file.write_text(damaged)
        assert (last.ids(), last.untested()) == (None, [])


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_the_option_keep_saves_the_workspaces_of_failed_scenarios(run_mixed: Cli, jobs: str) -> None:
    ran = run_mixed("--keep", "kept", "-j", jobs)
    assert (ran.code, "the workspaces of failed scenarios are in kept\n" in ran.err) == (1, True)
    files = sorted(str(each) for each in Path("kept").glob("*/*/*/*"))
    assert files == [f"kept/wrong/{name}/workspace/notes.txt" for name in ("effects", "text")]
    assert sorted(each.name for each in Path("kept").iterdir()) == [".readfirst-kept", "wrong"]


def test_the_option_keep_refuses_a_directory_with_other_files(run_mixed: Cli) -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    said = "readfirst: mine contains other files. Name a new or empty directory with --keep.\n"
    assert run_mixed("--keep", "mine") == (2, "", said)
    assert run_mixed("--keep", "mine/notes.txt").code == 2


def test_the_option_trace_prints_calls_answers_and_changes_by_other_programs(readfirst: Cli) -> None:
    ran = readfirst("run", "reference", "staleness/edit-after-change", "--trace")
    assert ran.code == 0
    where, *lines = ran.err.splitlines()[:6]
    scenario_id, _, root = where.partition(" in ")
    assert scenario_id == "staleness/edit-after-change"
    assert [line.replace(root, "$WS") for line in lines] == [
        '  1 -> Read {"file_path": "$WS/notes.txt"}',
        '  1 <- ok "     1→alpha\\n     2→beta\\n     3→"',
        '  2    modify "notes.txt"',
        '  3 -> Edit {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "gamma"}',
        '  3 <- refused "File has been modified since read, either by the user or by a linter. '
        'Read it again before attempting to write it."',
    ]
    assert readfirst("run", "reference", "staleness/edit-after-change").err.count("->") == 0
    said = "readfirst: --trace follows one scenario at a time. Leave out -j.\n"
    assert readfirst("run", "reference", "--trace", "-j", "2") == (2, "", said)


def test_the_option_trace_escapes_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    with trace.tracing(sys.stderr):
        trace.frame("<-", b'{"text":"\x1b[2J\xc2\x9b\xe2\x80\xaa"}\n')
    assert capsys.readouterr().err == '    <- {"text":"\\u001b[2J\\u009b\\u202a"}\n'


def test_watch_runs_all_scenarios_again_when_the_failures_pass(capsys: pytest.CaptureFixture[str]) -> None:
    codes, options = [1, 1, 0, 0, 5, 0], []

    def run(more: Sequence[str]) -> int:
        options.append(tuple(more))
        return codes.pop(0)

    files = [Path("a.py")], [Path("a.py"), Path("b.py")], [Path("a.py")]
    rerun(run, files)
    assert options == [(), ("--last-failed",), ("--last-failed",), (), ("--last-failed",), ()]
    assert "readfirst: a.py and 1 more changed" in capsys.readouterr().err


def test_watch_ignores_the_files_that_the_run_itself_writes() -> None:
    options = ["--keep", "kept", "-k", "x", "--output=out.xml"]
    assert written_by(options) == [Path("kept").resolve(), Path("out.xml").resolve()]


def test_without_its_library_watch_names_the_extra(readfirst: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    ran = readfirst("watch", "reference")
    assert (ran.code, ran.out) == (2, "")
    assert "python3 -m pip install 'readfirst[watch]'" in ran.err


@pytest.mark.slow
def test_watch_runs_the_scenarios_as_soon_as_a_file_is_saved(tmp_path: Path) -> None:
    file = Path("mytools.py")
    code = (
        "from readfirst.harness.adapter_api import ToolResult\n"
        "class Tools:\n"
        "    def open(self, workspace): return self\n"
        "    def call(self, tool, arguments): return ToolResult('{}', is_error=True)\n"
    )
    right = "File has not been read yet. Read it first before writing to it."
    file.write_text(code.format("no"))
    words = "watch python:mytools:Tools gate/edit-unread --keep kept"
    command = [sys.executable, "-m", "readfirst", *words.split()]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONUNBUFFERED": "1"}
    out = tmp_path / "out.txt"
    with out.open("wb") as stream:
        watching = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT, env=environment)
        try:
            wait_for_text(out, "1 failed; not conformant")
            time.sleep(0.5)  # watching begins after the run
            file.write_text(code.format(right))
            wait_for_text(out, "1 passed; conformant", times=2)
        finally:
            watching.send_signal(signal.SIGINT)
            ended = watching.wait(10)
    assert ended == 130
    printed = out.read_text()
    assert "readfirst: mytools.py changed" in printed
    assert printed.count("conformant\n") == 3


def wait_for_text(file: Path, text: str, *, times: int = 1) -> None:
    end = time.monotonic() + 60
    while file.read_text().count(text) < times:
        assert time.monotonic() < end, file.read_text()
        time.sleep(0.05)


def test_the_option_failed_in_selects_the_failures_in_the_json_lines_of_a_run(run_mixed: Cli) -> None:
    run_mixed(*TO_STREAM)
    run_mixed("--failed-in", STREAM, "-k", "text", "--format", "jsonl", "--output", "second.jsonl")
    assert scenarios_in(Path("second.jsonl")) == ["wrong/text"]
    assert run_mixed("--failed-in", "none.jsonl").code == 2
