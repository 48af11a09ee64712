import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.processes import supervised_process
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from tests.processes import ends_soon_by_command, pids_by_command
from tests.supervision import NO_BUBBLEWRAP, without_bubblewrap, without_subreapers

from .conftest import CONNECTIONS, HERE, connect_string

pytestmark = pytest.mark.slow

ROOT = HERE.parents[1]
SYSTEMS = {"namespace": "", "subreaper": NO_BUBBLEWRAP}
"""The reason why bubblewrap is missing, or an empty text."""


@pytest.fixture(autouse=True)
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A text on the command line of every process that tries to outlive the run. The rest are killed at the end."""
    words = f"marker of {tmp_path.name} {os.getpid()}"
    monkeypatch.setenv("READFIRST_TEST_MARKER", words)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(HERE)]))
    monkeypatch.syspath_prepend(str(HERE))
    yield words
    for pid in pids_by_command(words):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(params=SYSTEMS.values(), ids=SYSTEMS.keys())
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system with or without bubblewrap: the reason why it is missing, or an empty text."""
    if request.param:
        without_bubblewrap(monkeypatch)
    return str(request.param)


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.usefixtures("system")
def test_a_detached_process_ends_with_the_run(suite: Suite, temporary: Path, marker: str, kind: str) -> None:
    verdicts = run(suite, connect_string(kind, "leaves_its_session"), ["2.1.7"])
    assert [next(verdicts).status, next(verdicts).status] == ["passed", "passed"]
    if kind != "server":  # they run as long as the process that several sessions share
        assert len(pids_by_command(marker)) == 2
    assert [verdict.status for verdict in verdicts] == ["passed"]
    assert not pids_by_command(marker)
    assert list(temporary.iterdir()) == []


RUN_AND_WAIT = """
import sys
from pathlib import Path
from readfirst.harness.processes import supervised_process, sandbox
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
if sys.argv[3]:
    supervised_process.find_problem = sandbox.find_problem = lambda: sys.argv[3]
verdicts = run(Suite(Path(sys.argv[1]), trust=True), sys.argv[2], ["2.1.7"])
print(next(verdicts).status, next(verdicts).status, flush=True)
sys.stdin.read()
"""


def test_a_killed_run_ends_all_processes(suite: Suite, temporary: Path, marker: str, system: str) -> None:
    connection = connect_string("python", "leaves_its_session")
    words = [sys.executable, "-c", RUN_AND_WAIT, str(suite.root), connection, system]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == "passed passed\n"
        assert len(pids_by_command(marker)) == 2
        harness.send_signal(signal.SIGKILL)
    assert ends_soon_by_command(marker)


@pytest.mark.parametrize("kind", CONNECTIONS)
def test_a_process_that_keeps_writing_is_ended(suite: Suite, temporary: Path, marker: str, kind: str) -> None:
    statuses = [verdict.status for verdict in run(suite, connect_string(kind, "writes_on"), ["2.1.7"])]
    if kind == "server":
        assert statuses == ["passed", "failed", "passed"]
    else:  # detected by its writes: during its scenario, when the directory is emptied, or in the next scenario
        assert statuses[0] == "passed"
        assert {"failed", "error"} & set(statuses[1:])
    assert not pids_by_command(marker)
    assert list(temporary.iterdir()) == []


def test_a_program_in_a_namespace_cannot_kill_the_supervisor(suite: Suite) -> None:
    verdicts = run(suite, connect_string("python", "kills_its_parent"), ["2.1.7"])
    assert [verdict.status for verdict in verdicts] == ["passed"] * 3


def test_a_system_that_cannot_end_all_processes_is_reported_once(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, marker: str
) -> None:
    without_bubblewrap(monkeypatch)
    without_subreapers(monkeypatch)
    for kind in ("python", "server"):
        list(run(suite, connect_string(kind, "leaves_its_session"), ["2.1.7"]))
    assert [record.getMessage() for record in caplog.records] == [
        "what the program starts may outlive the run if it leaves its process group: this system has no subreapers"
    ]
    assert pids_by_command(marker), "it has got away, which is what was reported"


def start_python(code: str, stdout: int = subprocess.DEVNULL) -> supervised_process.Child:
    return supervised_process.Child(
        [sys.executable, "-S", "-c", code],
        directory=None,
        environment=os.environ,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(7)", "ended with exit status 7"),
        ("import os; os.kill(os.getpid(), 11)", "was killed by SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "was killed by signal 40"),
        ("import signal; assert signal.getsignal(signal.SIGPIPE) == 0", "ended with exit status 1"),
        ("import os; os.fork() or (os.setsid(), __import__('time').sleep(600))", "ended with exit status 0"),
    ],
)
def test_the_supervisor_ends_with_the_same_status_as_its_program(code: str, expected: str) -> None:
    child = start_python(code)
    assert child.wait(10) == expected
    child.end()


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    ("code", "number", "expected"),
    [
        ("", signal.SIGINT, "was killed by SIGINT"),  # although this process may ignore the signal
        ("", signal.SIGTERM, "was killed by SIGTERM"),
        ("signal.signal(signal.SIGINT, lambda *_: os._exit(3))", signal.SIGINT, "ended with exit status 3"),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", signal.SIGTERM, None),
    ],
)
def test_the_supervisor_passes_signals_on_to_its_program(
    monkeypatch: pytest.MonkeyPatch, code: str, number: int, expected: str | None
) -> None:
    monkeypatch.setattr(supervised_process, "GRACE", 0.05 if expected is None else 10)
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    program = f"import os, signal; {code or 'pass'}; os.write(1, b'x'); signal.pause()"
    try:
        started = start_python(program, subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, former)
    assert started.process.stdout is not None
    with started.process.stdout as output:
        assert output.read(1) == b"x"
        assert started.kill(number) == (expected is not None)
        assert started.status() == expected
        started.end()
