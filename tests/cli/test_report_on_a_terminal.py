import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli

from .conftest import record_alike


@pytest.fixture
def on_terminal(readfirst: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A function that runs a command line whose standard output is a terminal of 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")

    def call(*words: object) -> SimpleNamespace:
        # The function replaces standard output only while the test runs, because capsys uses a different stream in each
        # phase.
        with monkeypatch.context() as patch:
            patch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
            return readfirst(*words)

    return call


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def without_line_numbers(text: str) -> str:
    return re.sub(r"yaml:\d+:\d+", "yaml", text)


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


def test_the_report_of_one_run_equals_the_output_of_the_run(
    on_terminal: Cli, mixed: Suite, streams: list[Path]
) -> None:
    ran = on_terminal("report", streams[0], "--fixtures", mixed.root)
    printed = plain(on_terminal("run", "--fixtures", mixed.root).out)
    # The progress bar has disappeared. JSON lines do not contain the position of an expectation in the suite.
    assert without_line_numbers(plain(ran.out)) == without_line_numbers(printed[printed.index("FAILED") :])
    assert "\x1b[" in ran.out
    for mark in ("| ---", "# Conformance", "<details>", "```"):
        assert mark not in ran.out


def test_several_runs_are_also_shown_side_by_side(
    on_terminal: Cli, mixed: Suite, streams: list[Path]
) -> None:
    text = plain(on_terminal("report", *streams, "--fixtures", mixed.root).out)
    assert "reference (1) on 2.1.7, level text; suite\n" in text
    assert "reference (2) on 2 contracts, level text; suite\n" in text
    rows = [line.split() for line in text.splitlines()]
    assert rows[-3:] == [
        ["reference", "(1)", "2.1.7", "text", "4", "3/4", "3/4", "3/4", "2/4", "0", "0", "0"],
        ["reference", "(2)", "2.1.7", "text", "4", "3/4", "3/4", "3/4", "2/4", "0", "0", "0"],
        ["reference", "(2)", "2.1.40", "text", "4", "3/4", "3/4", "3/4", "2/4", "0", "0", "0"],
    ]


def test_the_option_failures_sets_the_number_of_explained_failures(
    on_terminal: Cli, mixed: Suite, streams: list[Path]
) -> None:
    def count_failures(*words: str) -> int:
        text = plain(on_terminal("report", *streams, *words, "--fixtures", mixed.root).out)
        return len(re.findall(r"^FAILED", text, re.MULTILINE))

    most = [(), ("--failures", "1"), ("--failures", "0"), ("--failures", "all")]
    assert [count_failures(*words) for words in most] == [
        1 + 1,
        1 + 1,
        0,
        2 + 4,
    ]  # by default, one failure of both runs
    assert on_terminal("report", *streams, "--failures", "some", "--fixtures", mixed.root).code == 2
