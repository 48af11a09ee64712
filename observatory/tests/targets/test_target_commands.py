"""The command line for targets: they are listed, checked, and run at their level with their baseline."""

import sys
from pathlib import Path

import pytest

from readfirst.harness.cli import run as testrun
from readfirst.harness.report.progress import duration
from readfirst.harness.run.connect import ConnectError, target_defaults
from readfirst.harness.run.next_commands import interrupted_lines
from readfirst.observatory.targets import catalogue, install
from tests.command_line import Cli

SLOW = """
import time

class Slow:
    capabilities = {"Read"}

    def open(self, workspace):
        return self

    def call(self, tool, arguments):
        time.sleep(60)
"""
MINIATURES = Path(__file__).parents[3] / "tests" / "replay" / "mcp_miniatures.py"


Run = Cli


def test_every_target_is_listed_with_its_version_and_state(
    readfirst: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(install, "cache_root", lambda: tmp_path)
    listed = readfirst("targets", "list")
    assert listed.code == 0
    rows = [line.split("\t") for line in listed.out.splitlines()]
    assert ["target:agno@3.1.10", "python", "not installed"] in [row[:3] for row in rows]
    assert len(rows) == len(list(catalogue.targets()))
    assert all(row[2] == "not installed" for row in rows)


def test_an_adapter_that_works_is_reported_as_such(readfirst: Run) -> None:
    checked = readfirst("check-adapter", "reference")
    assert checked.code == 0
    assert (
        "The adapter works. Judge the implementation: readfirst run 'reference' --level safe" in checked.out
    )
    assert not [line for line in checked.out.splitlines() if line.startswith("no ")]


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[testrun.RunRequest]:
    made: list[testrun.RunRequest] = []
    monkeypatch.setattr(testrun, "perform", lambda request: made.append(request) or 0)
    return made


def test_a_target_is_run_at_its_own_level_with_its_own_baseline(
    readfirst: Run, requests: list[testrun.RunRequest]
) -> None:
    readfirst("run", "target:agno")
    (request,) = requests
    assert (request.target, request.level) == ("target:agno@3.1.10", "reason")
    assert request.baseline == catalogue.root() / "baselines" / "agno@3.1.10.yaml"
    readfirst("run", "target:agno", "--no-baseline")
    assert (requests[1].baseline, requests[1].no_baseline) == (None, True)
    assert interrupted_lines(requests[1], 2, {"2.1.7": {"a/b": True}})[1].endswith(
        "--no-baseline --last-failed"
    )


def test_an_agent_is_run_as_the_target_that_it_is(readfirst: Run, requests: list[testrun.RunRequest]) -> None:
    readfirst("run", "agent:qwen-code@0.24.4")
    (request,) = requests
    assert (request.target, request.level) == ("target:qwen-code@0.24.4", "reason")
    assert request.baseline == catalogue.root() / "baselines" / "qwen-code@0.24.4.yaml"
    ended = readfirst("run", "agent:agno")
    assert ended.code == 2
    assert "'agent:agno': agno is not an agent. Write target:agno." in ended.err


def test_anything_else_is_run_at_level_text(readfirst: Run, requests: list[testrun.RunRequest]) -> None:
    readfirst("run", "python:a:b")
    assert (requests[0].level, requests[0].baseline) == ("text", None)


def test_isolation_of_anything_else_is_a_usage_error(readfirst: Run) -> None:
    ended = readfirst("run", "reference", "--isolation", "directory")
    assert ended.code == 2
    assert "--isolation is for mcp:COMMAND" in ended.err


def test_a_path_with_an_at_sign_is_not_a_version(tmp_path: Path) -> None:
    with pytest.raises((ConnectError, OSError)):
        target_defaults(f"target:{tmp_path}/a@b/none.yaml")


def test_a_server_that_breaks_at_the_start_is_blamed_on_the_adapter(readfirst: Run) -> None:
    ended = readfirst("check-adapter", f"mcp:{sys.executable} -S {MINIATURES} never-starts")
    assert ended.code == 3
    assert "the server ended with exit status 4 during the start" in ended.err


def test_a_check_states_its_duration_and_the_call_that_it_waits_for(
    readfirst: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readfirst.harness.cli.check._SLOW_S", 0.1)
    slow = tmp_path / "slow.py"
    slow.write_text(SLOW)
    checked = readfirst("check-adapter", f"python:{slow}:Slow", "--time-limit", "0.25")
    first, *rest = checked.err.splitlines()
    number = len([line for line in checked.out.splitlines() if line.startswith(("yes  ", "no   "))])
    assert first == (
        f"{number} checks; they usually take some seconds, and at most about {duration(number * 0.25)}: "
        f"each ends with the first call that takes {duration(0.25)}."
    )
    assert "...  an existing file is read (still running)" in rest
    assert checked.code == 3
