"""Several seeds at once: what is found is what each seed finds alone, and no process is left."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz.command import perform
from readfirst.observatory.fuzz.parallel import Streams, shares
from readfirst.observatory.fuzz.worker import SearchRequest
from tests.processes import children, descendants

WRONG = Path(__file__).parents[3] / "tests" / "wrong_implementations"
CHECKOUT = Path(__file__).parents[3]
TARGET = "python:wrong_answers:TabAfterLineNumber"


@pytest.fixture(autouse=True)
def _where_the_targets_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WRONG)


def request_for(suite: Suite, output: Path, *, steps: int, jobs: int, seed: int = 0) -> SearchRequest:
    return SearchRequest(
        suite, TARGET, suite.contracts.default, steps, seed, "text", output, options=RunOptions(jobs=jobs)
    )


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.yaml"))}


@pytest.mark.parametrize(("steps", "jobs", "divided"), [(10, 3, (4, 3, 3)), (2, 4, (1, 1)), (0, 2, (0,))])
def test_the_steps_are_divided_between_consecutive_seeds(
    steps: int, jobs: int, divided: tuple[int, ...], suite: Suite, tmp_path: Path
) -> None:
    made = shares(request_for(suite, tmp_path, steps=steps, jobs=jobs, seed=7))
    assert tuple(each.steps for each in made) == divided
    assert [each.seed for each in made] == [7 + number for number in range(len(divided))]


def test_without_a_number_of_steps_every_seed_is_searched_in_time_alone(suite: Suite, tmp_path: Path) -> None:
    request = replace(request_for(suite, tmp_path, steps=0, jobs=2), steps=None, minutes=1.5)
    assert [(each.steps, each.minutes, each.seed) for each in shares(request)] == [
        (None, 1.5, 0),
        (None, 1.5, 1),
    ]


def steps_told(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines() if " steps in " in line]


@pytest.mark.slow
def test_several_seeds_at_once_find_what_each_finds_alone(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    perform(request_for(suite, tmp_path / "together", steps=40, jobs=2))
    together = capsys.readouterr()
    perform(request_for(suite, tmp_path / "again", steps=40, jobs=2))
    perform(request_for(suite, tmp_path / "first", steps=20, jobs=1, seed=0))
    perform(request_for(suite, tmp_path / "second", steps=20, jobs=1, seed=1))
    alone = capsys.readouterr()
    assert "seeds 0 to 1: " in together.err
    assert files(tmp_path / "together") == files(tmp_path / "again")
    first, found = files(tmp_path / "first"), files(tmp_path / "together")
    assert first
    assert first.items() <= found.items()
    assert len(found) <= len(first) + len(files(tmp_path / "second"))
    [whole], [again, *each] = steps_told(together.err), steps_told(alone.err)
    assert whole == again == sum(each)


def test_a_process_that_dies_is_reported_and_the_others_end(suite: Suite, tmp_path: Path) -> None:
    before = children(os.getpid())
    with pytest.raises(BrokenAdapter, match="the process that searched seed 1 was killed by signal 9"):
        search_while_the_second_dies(shares(request_for(suite, tmp_path, steps=100_000, jobs=2)), before)
    assert children(os.getpid()) <= before


def search_while_the_second_dies(requests: tuple[SearchRequest, ...], before: set[int]) -> None:
    with Streams(requests) as streams:
        _, second = sorted(children(os.getpid()) - before)
        os.kill(second, signal.SIGKILL)
        for _ in streams.perform():
            pass


@pytest.mark.slow
def test_ctrl_c_ends_every_process_and_shows_how_far_the_search_came(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "readfirst", "fuzz", "python:wrong_answers:NoSnippet"]
    process = subprocess.Popen(
        [*command, "--steps", "1000000", "-j", "2", "--level", "effects", "--output", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    with process:
        assert process.stderr is not None
        assert "0 disagreements" in process.stderr.readline()
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert "on python:wrong_answers:NoSnippet and the reference, level effects, seeds 0 to 1" in errors
    assert "Traceback" not in errors
    assert len(started) >= 2
    assert not [each for each in started if Path(f"/proc/{each}").exists()]


@pytest.mark.slow
def test_a_target_that_breaks_in_a_process_ends_the_search_as_it_does_alone(
    suite: Suite, tmp_path: Path
) -> None:
    request = SearchRequest(
        suite,
        "python:no_such_module:Tools",
        suite.contracts.default,
        10,
        0,
        "text",
        tmp_path,
        options=RunOptions(jobs=2),
    )
    with pytest.raises(Exception, match="no_such_module"):
        perform(request)
