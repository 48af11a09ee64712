"""With `--confine`, an implementation cannot write outside its directories. Without it, this is reported."""

import socket
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes.sandbox import Sandbox, find_sandbox
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from tests.supervision import without_bubblewrap

from .conftest import CONNECTIONS, connect_string

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The implementations can be imported from this directory."""
    monkeypatch.chdir(HERE)


@pytest.fixture
def system_sandbox() -> Sandbox:
    """On a system without a sandbox, these tests fail."""
    return find_sandbox()


def judge_victim(suite: Suite, kind: str, name: str, *, confine: bool = True) -> Verdict:
    """Return the verdict on the scenario with damage by the implementation. The other scenarios must pass."""
    options = RunOptions(confine=confine, time_limit=10)
    first, victim, third = run(suite, connect_string(kind, name), ["2.1.7"], options=options)
    assert first.status == third.status == "passed"
    return victim


def changed_paths(verdict: Verdict) -> list[str]:
    return [each.what for each in verdict.differences if each.level == "effects"]


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_implementation_that_writes_around_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str
) -> None:
    victim = judge_victim(suite, kind, "litters")
    assert victim.status == "failed"
    assert changed_paths(victim) == [f"path {where}/stray" for where in ("$HOME", "$TMPDIR", "../..", "..")]
    expected = {each.expected for each in victim.differences if each.level == "effects"}
    assert expected == {"nothing there: it is outside the workspace"}
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_implementation_cannot_write_to_other_directories(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("READFIRST_TEST_OUTSIDE", str(tmp_path))
    before = sorted(tmp_path.iterdir())
    assert judge_victim(suite, kind, "writes_elsewhere").status == "error"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("kind", "status", "changed"),
    [
        ("python", "error", []),
        ("server", "error", []),
        ("shared server", "failed", ["path ../../../stray"]),
    ],
)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_server_that_writes_two_levels_above_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str, status: str, changed: list[str]
) -> None:
    victim = judge_victim(suite, kind, "writes_further_above")
    assert (victim.status, changed_paths(victim)) == (status, changed)
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("system_sandbox")
@pytest.mark.parametrize(("confine", "status"), [(True, "error"), (False, "passed")])
def test_a_confined_implementation_has_no_network(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, confine: bool, status: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv("READFIRST_TEST_PORT", str(listener.getsockname()[1]))
        assert judge_victim(suite, "python", "calls_home", confine=confine).status == status


@pytest.mark.parametrize("kind", ["python", "server"])
@pytest.mark.parametrize(
    ("name", "path"), [("writes_above", "../../stray"), ("writes_further_above", "../../../stray")]
)
def test_an_unconfined_implementation_that_writes_around_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str, name: str, path: str
) -> None:
    victim = judge_victim(suite, kind, name, confine=False)
    assert (victim.status, changed_paths(victim)) == ("failed", [f"path {path}"])
    assert list(temporary.iterdir()) == []


def test_a_system_without_any_way_refuses_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, suite: Suite
) -> None:
    """On a system without a sandbox, `--confine` is refused. The message names the missing program."""
    without_bubblewrap(monkeypatch)
    with pytest.raises(
        AdapterError, match=r"--confine .* bubblewrap is not installed.*apt-get install"
    ) as error:
        connect("python:vandals:calls_home", suite, RunOptions(confine=True))
    assert error.value.blame == "environment"


@pytest.mark.parametrize(
    "target", ["reference", "recording:2.1.7", "claude-code:2.1.7", "agent:opencode", "target:opencode"]
)
def test_a_target_that_cannot_be_confined_is_refused(suite: Suite, target: str) -> None:
    with pytest.raises(ConnectError, match="--confine"):
        connect(target, suite, RunOptions(confine=True))
