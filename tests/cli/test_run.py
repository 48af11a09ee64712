import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from readfirst.harness.adapter_api import Session, ToolResult, Workspace
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.run import job_count, process_pool
from readfirst.harness.run.connect import ConnectError
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.processes import children, ends_soon

from .conftest import HOLDING, PASSES, MakeSuite


def run_reference(suite: Suite, **options: Any) -> list[Verdict]:
    """Return the verdicts on the reference, without their times."""
    return [replace(verdict, milliseconds=0.0) for verdict in run(suite, "reference", ["2.1.7"], **options)]


class Fake:
    """An adapter that counts its sessions."""

    opened = closed = 0

    def open(self, workspace: Workspace) -> Session:
        self.opened += 1
        return SimpleNamespace(call=lambda tool, arguments: ToolResult("?"))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """An adapter that replaces every implementation that the test connects to."""
    adapter = Fake()
    monkeypatch.setattr("readfirst.harness.run.runner.connect", lambda *args, **kwargs: adapter)
    return adapter


def test_every_level_is_judged_regardless_of_the_requested_level(mixed: Suite) -> None:
    (verdict,) = run_reference(mixed, ids=["wrong/text"], level="effects")
    assert verdict.status == "passed"
    assert [verdict.levels[level] for level in ("effects", "reason", "text")] == [True, True, False]


def test_worker_processes_give_the_same_verdicts_in_the_same_order(mixed: Suite) -> None:
    assert run_reference(mixed, options=RunOptions(jobs=2)) == run_reference(mixed)


def test_an_unknown_kind_of_target_starts_no_process(mixed: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "work_in_processes", lambda *_: pytest.fail("processes were started"))
    with pytest.raises(ConnectError, match="there is no kind 'nothing'"):
        list(run(mixed, "nothing:at-all", ["2.1.7"], options=RunOptions(jobs=2)))


def test_many_scenarios_use_all_processors_but_the_real_product_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_count, "processors", lambda: 4)
    jobs = [job_count.jobs_for(job_count.AUTO, "reference", count) for count in (1, 99, 100, 2000)]
    assert jobs == [1, 1, 2, 4]
    assert job_count.jobs_for(job_count.AUTO, "claude-code:2.1.7", 2000) == 1
    assert job_count.jobs_for(7, "claude-code:2.1.7", 1) == 7


def test_the_adapter_is_closed_if_a_run_is_stopped_early(holding: Suite, fake: Fake) -> None:
    with closing(run(holding, "reference", ["2.1.7"])) as verdicts:
        next(verdicts)
    assert (fake.opened, fake.closed) == (1, 1)


def test_an_exception_of_the_harness_is_its_own(
    holding: Suite, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replay(*_: object, **_how: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("readfirst.harness.run.runner.replay", replay)
    verdicts = list(run(holding, "reference", ["2.1.7"]))
    assert {(verdict.status, verdict.blame) for verdict in verdicts} == {("error", "harness")}
    assert "ZeroDivisionError" in verdicts[0].reason


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_invalid_scenario_ends_the_run_with_its_position(make_suite: MakeSuite, jobs: int) -> None:
    suite = make_suite({**HOLDING, "reading/broken": PASSES.replace("must", "may")})
    verdicts = run(suite, "reference", ["2.1.7"], options=RunOptions(jobs=jobs))
    assert next(verdicts).scenario_id == "gate/not-read"
    with pytest.raises(SuiteError, match=r"reading/broken\.yaml:2:14: requirement cannot be 'may'"):
        next(verdicts)


Written = Callable[[str, str], Any]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """A function that writes and imports a module."""

    def write(name: str, code: str) -> Any:
        (tmp_path / f"{name}.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        return importlib.import_module(name)

    return write


DYING = """\
import contextlib, os, signal
from readfirst.harness.run.runner import RunSpec

class Dying(RunSpec):
    @contextlib.contextmanager
    def open(self):
        with RunSpec.open(self) as judge:
            yield lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == "gate/not-read" else judge(name)
"""


@pytest.mark.slow
def test_a_killed_worker_process_fails_only_its_scenario(make_suite: MakeSuite, written: Written) -> None:
    suite = make_suite({**HOLDING, "gate/read-1": PASSES, "gate/read-2": PASSES})
    job = written("dying", DYING).Dying(suite, "reference", "2.1.7")
    with work_in_processes(job, suite.ids(), 2) as results:
        verdicts = [verdict for (verdict,) in results]
    assert [v.scenario_id for v in verdicts] == [
        "gate/not-read",
        "gate/read-1",
        "gate/read-2",
        "reading/lines",
    ]
    assert [v.status for v in verdicts] == ["error", "passed", "passed", "passed"]
    assert verdicts[0].reason == "the worker process was killed by signal 9 during this scenario"
    assert (verdicts[0].blame, verdicts[0].requirement) == ("environment", "must")


CLOSING = """\
import contextlib, os
from pathlib import Path

class Closing:
    def __init__(self, folder):
        self.folder = folder

    @contextlib.contextmanager
    def open(self):
        yield str.upper
        sum(range(3_000_000))  # as long as it takes to keep what was read
        Path(self.folder, str(os.getpid())).touch()

    def result_for_crash(self, item, reason):
        return reason
"""
"""A worker that takes a moment to close, and then creates a file named after its process."""


def test_worker_processes_have_time_to_close_and_are_not_killed(tmp_path: Path, written: Written) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    job = written("closing", CLOSING).Closing(str(kept))
    with work_in_processes(job, "abcd", 2) as results:
        assert [*results] == [*"ABCD"]
    assert len([*kept.iterdir()]) == 2


HANGS = """\
import time

class Hangs:
    def open(self, workspace):
        return self
    def call(self, tool, arguments):
        print("hanging", flush=True, file=open(__file__ + ".hangs", "a"))
        time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts processes through /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_process(mixed: Suite, tmp_path: Path, number: signal.Signals) -> None:
    module = tmp_path / "hanging.py"
    module.write_text(HANGS)
    marker = Path(f"{module}.hangs")
    os.mkfifo(marker)
    words = ["run", "python:hanging:Hangs", "-j", "2", "--fixtures", str(mixed.root)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "readfirst", *words]
    process = subprocess.Popen(command, text=True, env=environment, **pipes)
    try:
        with marker.open() as hanging:
            assert hanging.readline() == "hanging\n"
            workers = children(process.pid)
            hosts = [child for worker in workers for child in children(worker)]
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert len(workers) == 2
    assert hosts
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in out + err, out + err
    assert all(ends_soon(pid, timeout=10) for pid in [*workers, *hosts])
