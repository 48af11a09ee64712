import re
import sys
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli, CliResult

from .conftest import record_alike


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
