"""With `--confine`, an implementation cannot write outside its directories. Without it, this is reported."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.processes.sandbox import Sandbox, find_sandbox
from readfirst.harness.processes.supervised_process import Child
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from tests.supervision import without_bubblewrap

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CONNECTIONS = {
    "python": "python:vandals:{name}",
    "server": "mcp:--isolation=process " + sys.executable + " {here}/vandals.py {name}",
    "shared server": "mcp:--isolation=directory " + sys.executable + " {here}/vandals.py {name}",
}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The implementations can be imported from this directory."""
    monkeypatch.chdir(HERE)


@pytest.fixture
def system_sandbox() -> Sandbox:
    """On a system without a sandbox, these tests fail."""
    return find_sandbox()


PROBE = """
import json, os, resource, socket, subprocess, sys
told = {}
def tried(name):
    def run(action):
        try:
            told[name] = action()
        except Exception as error:
            told[name] = type(error).__name__
    return run
def put(path):
    with open(path, "w") as file:
        file.write("x")
    return "written"
own, = sys.argv[1:]
other = os.path.dirname(own) + "/other"
tried("own")(lambda: put(own + "/a"))
tried("here")(lambda: put("b"))
tried("beside")(lambda: put(os.path.dirname(own) + "/c"))
tried("elsewhere")(lambda: put(other + "/d"))
tried("read")(lambda: open(other + "/precious.txt").read())
tried("system")(lambda: put("/etc/readfirst-test"))
tried("kernel")(lambda: put("/proc/sys/vm/swappiness"))
tried("devices")(lambda: put("/dev/readfirst-test"))
tried("services")(lambda: os.listdir("/run"))
tried("nothing")(lambda: put("/dev/null"))
tried("random")(lambda: len(open("/dev/urandom", "rb").read(8)))
tried("shared memory")(lambda: put("/dev/shm/e"))
tried("interfaces")(lambda: [name for _, name in socket.if_nameindex()])
tried("loopback")(lambda: bool(socket.create_server(("127.0.0.1", 0)).getsockname()))
tried("processes")(lambda: len([name for name in os.listdir("/proc") if name.isdigit()]) < 9)
tried("rights")(lambda: [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")])
tried("mount")(lambda: subprocess.run(["mount", "-o", "remount,rw", "/"], capture_output=True).returncode == 0)
tried("memory")(lambda: len(bytearray(5 * 1024**3)))
tried("file")(lambda: os.truncate("b", 2 * 1024**3))
limits = [resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC]
tried("limits")(lambda: [resource.getrlimit(each)[0] for each in limits])
print(json.dumps(told))
"""
EXPECTED: dict[str, Any] = {
    "own": "written",
    "here": "written",
    "beside": "OSError",
    "elsewhere": "FileNotFoundError",
    "read": "FileNotFoundError",
    "system": "OSError",
    "kernel": "OSError",
    "devices": "OSError",
    "services": [],
    "nothing": "written",
    "random": 8,
    "shared memory": "written",
    "interfaces": ["lo"],
    "loopback": True,
    "processes": True,
    "rights": ["0000000000000000"] * 5,
    "mount": False,
    "memory": "MemoryError",
    "file": "OSError",
    "limits": [4 * 1024**3, 1024**3, 512],
}


def test_it_reaches_what_is_its_own_and_nothing_else(system_sandbox: Sandbox, tmp_path: Path) -> None:
    """A confined program can write only to its own directory."""
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "precious.txt").write_text("precious")
    child = Child(
        [sys.executable, "-S", "-c", PROBE, str(own)],
        directory=own,
        environment={**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        sandbox=system_sandbox,
        writable=[own],
    )
    assert child.process.stdout is not None
    with child.process.stdout as output:
        printed = output.read().decode()
    child.end()
    # The directory that contains the workspace is read-only.
    shared = {"shared memory": "OSError"} if Path("/dev/shm") in own.parents else {}
    assert json.loads(printed) == EXPECTED | shared
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "other", "own", "precious.txt"]


def verdicts(suite: Suite, kind: str, name: str, *, confine: bool = True) -> list[Verdict]:
    connection = CONNECTIONS[kind].format(name=name, here=HERE)
    return list(run(suite, connection, ["2.1.7"], options=RunOptions(confine=confine, time_limit=10)))


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_implementation_that_writes_around_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str
) -> None:
    first, victim, third = verdicts(suite, kind, "litters")
    assert first.status == third.status == "passed"
    assert victim.status == "failed"
    assert [
        (each.level, each.what, each.expected) for each in victim.differences if each.level == "effects"
    ] == [
        ("effects", f"path {folder}/stray", "nothing there: it is outside the workspace")
        for folder in ("$HOME", "$TMPDIR", "../..", "..")
    ]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_implementation_cannot_write_to_other_directories(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("READFIRST_TEST_OUTSIDE", str(tmp_path))
    before = sorted(tmp_path.iterdir())
    first, victim, third = verdicts(suite, kind, "writes_elsewhere")
    assert first.status == third.status == "passed"
    assert victim.status == "error"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("kind", "status"), [("python", "error"), ("server", "error"), ("shared server", "failed")]
)
@pytest.mark.usefixtures("system_sandbox")
def test_a_confined_server_that_writes_two_levels_above_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str, status: str
) -> None:
    first, victim, third = verdicts(suite, kind, "writes_further_above")
    assert first.status == third.status == "passed"
    assert victim.status == status
    assert [each.what for each in victim.differences if each.level == "effects"] == (
        ["path ../../../stray"] if status == "failed" else []
    )
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("system_sandbox")
@pytest.mark.parametrize(("confine", "status"), [(True, "error"), (False, "passed")])
def test_a_confined_implementation_has_no_network(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, confine: bool, status: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv("READFIRST_TEST_PORT", str(listener.getsockname()[1]))
        assert verdicts(suite, "python", "calls_home", confine=confine)[1].status == status


@pytest.mark.parametrize("kind", ["python", "server"])
def test_an_unconfined_implementation_that_writes_around_its_workspace_is_reported(
    suite: Suite, temporary: Path, kind: str
) -> None:
    for name, path in (("writes_above", "../../stray"), ("writes_further_above", "../../../stray")):
        verdicts_given = verdicts(suite, kind, name, confine=False)
        assert [verdict.status for verdict in verdicts_given] == ["passed", "failed", "passed"]
        assert [each.what for each in verdicts_given[1].differences if each.level == "effects"] == [
            f"path {path}"
        ]
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
