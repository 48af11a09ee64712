"""Attacks that succeed without the sandbox and fail in it. The tests require bubblewrap, as `.ci/run` does."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from readfirst.harness.processes import sandbox
from readfirst.harness.processes.sandbox import Sandbox, find_problem
from tests.processes import _command, pids_by_command
from tests.security.confined import run_confined
from tests.security.intruder import SYSTEM_DIRECTORIES, attempts
from tests.supervision import without_bubblewrap

INTRUDER = Path(__file__).with_name("intruder.py")
ATTACKS = tuple(attempts(defaultdict(str)))
"""Only the names. An attack uses its input only when it is performed."""
NEEDS_ROOT = ("write to /run", "write to /etc", "write to /dev")


class Machine(NamedTuple):
    """The resources that the intruder attacks, and the directories that it may use."""

    workspace: Path
    project: Path
    suite: Path
    words: str
    marker: str
    made: tuple[Path, ...]


def machine(folder: Path, port: int, victim: int) -> Machine:
    """Create the resources. `port` is open on this machine, and `victim` is a process to kill."""
    workspace, project, outside, home = (
        folder / name for name in ("workspace", "project", "outside", "home")
    )
    suite = project / "suite"
    for made in (workspace, outside, home, suite / "scenarios"):
        made.mkdir(parents=True)
    shutil.copyfile(INTRUDER, project / "intruder.py")
    (suite / "scenarios" / "secret.yaml").touch()
    (outside / "precious.txt").write_text("precious")
    (home / "private.txt").write_text("private")
    os.mkfifo(outside / "pipe")
    marker = f"readfirst-test-{uuid.uuid4().hex}"
    written = [Path(place) / f"{marker}.txt" for place in SYSTEM_DIRECTORIES]
    words = {
        **{name: str(folder / name) for name in ("outside", "home", "project")},
        **{f"in {path.parent}": str(path) for path in written},
        **{"suite": str(suite), "abstract": marker, "marker": marker},
        **{"harness": os.getpid(), "port": port, "victim": victim},
    }
    made = (*written, home / "made.txt", project / "made.txt", suite / "scenarios" / "made.yaml")
    return Machine(workspace, project, suite, json.dumps(words), marker, (*made, outside / "raced.txt"))


@pytest.fixture(scope="module", params=["open", "walled"])
def results(request: pytest.FixtureRequest) -> Iterator[tuple[Machine, dict[str, Any]]]:
    """The attacked machine and the results of all attacks, once without the sandbox, and once in it."""
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as bound,
        socket.socket(socket.AF_UNIX) as abstract,
        subprocess.Popen(["sleep", "600"]) as victim,
    ):
        made = machine(Path(folder), listener.getsockname()[1], victim.pid)
        bound.bind(f"{folder}/outside/agent.sock")
        abstract.bind(f"\0{made.marker}")
        for each in (bound, abstract):
            each.listen(8)
        reader = os.open(f"{folder}/outside/pipe", os.O_RDONLY | os.O_NONBLOCK)
        program = [str(made.project / "intruder.py"), made.words]
        try:
            if request.param == "open":
                printed = subprocess.check_output([sys.executable, *program], cwd=made.workspace, text=True)
            else:
                printed = run_confined(made.workspace, made.suite, made.project, *program)
            yield made, {"way": request.param, **json.loads(printed)}
        finally:
            os.close(reader)
            victim.kill()
            for path in made.made:
                path.unlink(missing_ok=True)
            for pid in pids_by_command(made.marker):
                os.kill(pid, 9)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_fails_behind_the_wall_and_only_there(
    attack: str, results: tuple[Machine, dict[str, Any]]
) -> None:
    """Each attack fails in the sandbox, and succeeds without it."""
    _, found = results
    if found["way"] == "walled":
        # A detached process can be started in the sandbox, but it ends with the program.
        assert (found["attacks"][attack] is True) == (attack == "make a daemon"), found["attacks"]
    elif attack not in NEEDS_ROOT or os.geteuid() == 0:
        assert found["attacks"][attack] is True


def test_behind_the_wall_nothing_outside_has_changed(results: tuple[Machine, dict[str, Any]]) -> None:
    """After the attacks in the sandbox, no resource outside has changed."""
    machine, found = results
    exist = [path for path in machine.made if path.exists()]
    assert (exist == []) == (found["way"] == "walled")
    assert (machine.workspace / "own.txt").exists()


def test_no_process_is_left_over(results: tuple[Machine, dict[str, Any]]) -> None:
    """After the attacks, no process of the intruder still runs."""
    machine, found = results
    left = {pid: _command(pid) for pid in pids_by_command(machine.marker)}
    assert (left == {}) == (found["way"] == "walled"), left


def test_a_walled_program_has_no_capabilities_devices_and_descriptors(
    results: tuple[Machine, dict[str, Any]],
) -> None:
    """A program in the sandbox has no Linux capabilities, no devices, and no inherited file descriptors."""
    _, found = results
    if found["way"] == "open":
        assert found["facts"]["interfaces"] != ["lo"]
    else:
        assert found["facts"] == {
            "descriptors": [],
            "devices": False,
            "terminal": False,
            "kernel": False,
            "services": [],
            "few processes": True,
            "limits": [[limit, limit] for limit in (4 * 1024**3, 1024**3, 512)],
            "capabilities": ["0000000000000000"] * 5,
            "interfaces": ["lo"],
            "remounts": False,
            "own file": True,
            "own workspace": True,
        }


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root becomes another user")
def test_an_ordinary_user_has_the_same_wall() -> None:
    """The sandbox works without root. Skipped if other users cannot run Python; `.ci/run` creates one that can."""
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    check = "import os, sys; sys.exit(sys.version_info < (3, 11) or not all(map(os.access, sys.argv[1:], (4, 1))))"
    for python in (sys.executable, "/usr/bin/python3"):
        words = [*user, python, "-c", check, INTRUDER, os.path.realpath(python)]
        if subprocess.run(words, capture_output=True, check=False).returncode == 0:
            break
    else:
        pytest.skip("no Python here, or not this checkout, can be used by everybody")
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        made = machine(Path(folder), listener.getsockname()[1], os.getpid())
        for path in (Path(folder), *Path(folder).iterdir()):
            path.chmod(0o777)
        places = [made.workspace, made.suite, made.project, made.project / "intruder.py"]
        driver = [*user, python, INTRUDER.with_name("confined.py"), *places, made.words]
        found = json.loads(subprocess.check_output(driver, cwd="/"))["attacks"]
        assert [name for name, result in found.items() if result is True] == ["make a daemon"]


LEFT_OPEN = """
import os, socket, subprocess, sys
print(os.environ["PATH"] and bool(open("/etc/passwd").read()), open(sys.argv[0]).read()[:1] != "")
print(all(subprocess.Popen(["true"]).pid for _ in range(50)))
print(open("/dev/null", "w").write("x") == 1, len(open("/dev/urandom", "rb").read(8)) == 8)
print(bool(socket.create_server(("127.0.0.1", 0)).getsockname()))
try:
    print(bool(socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)))
except OSError as error:
    print(error.errno in (97, 93))  # a kernel without this kind of socket
"""


def test_what_the_wall_leaves_open(tmp_path: Path) -> None:
    """The sandbox permits everything that docs/security.md lists as permitted, and the usual devices."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "own").mkdir()
    program = tmp_path / "own" / "open.py"
    program.write_text(LEFT_OPEN)
    printed = run_confined(tmp_path / "workspace", tmp_path / "suite", tmp_path / "own", str(program))
    assert set(printed.split()) == {"True"}, printed


def test_the_system_that_runs_the_tests_has_a_sandbox() -> None:
    assert find_problem() == ""


def test_an_empty_variable_path_does_not_disable_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_problem.__wrapped__() == ""


def test_a_missing_sandbox_is_reported_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failing = tmp_path / "bwrap"
    failing.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    failing.chmod(0o755)
    for program, problem in (
        (None, "bubblewrap is not installed"),
        (str(failing), "No permissions to create a new namespace"),
        (str(tmp_path), f"[Errno 13] Permission denied: '{tmp_path}'"),
    ):
        monkeypatch.setattr(sandbox, "_find_bwrap", lambda program=program: program)
        assert find_problem.__wrapped__() == problem
    monkeypatch.setattr(sys, "platform", "darwin")
    assert find_problem.__wrapped__() == "bubblewrap is for Linux"


def wrap_command(command: list[str], environment: dict[str, str], *, own: tuple[Path, ...] = ()) -> str:
    return " ".join(Sandbox((), own, quiet=True).wrap(command, environment, Path("/"), []))


def test_a_link_that_a_program_left_shows_the_next_one_nothing(tmp_path: Path) -> None:
    """A symbolic link that a program leaves in its workspace does not let the next program see more files."""
    secret, workspace = tmp_path / "secret", tmp_path / "workspace"
    secret.mkdir()
    workspace.mkdir()
    (workspace / "h").symlink_to(secret)
    for word in (f"{workspace}/h", f"--home={workspace}/h"):
        command = ["true", word]
        wrapped = Sandbox(quiet=True).wrap(command, {"PATH": f"{workspace}/h"}, Path("/"), [workspace])
        assert str(secret) not in " ".join(wrapped[: wrapped.index("--")])


def test_of_a_home_the_program_s_own_is_shown_and_never_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program from the home directory sees its own files there, but never the whole home directory."""
    home = tmp_path / "home"
    for name in ("project/dist/server.js", "project/package.json", ".local/bin/tool", "alone.py"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    (home / ".local/bin/tool").chmod(0o755)
    (home / ".local/lib").mkdir()
    monkeypatch.setenv("HOME", str(home))
    binding = f"--ro-bind {home}"
    assert f"{binding}/project {home}/project " in wrap_command(
        ["node", f"{home}/project/dist/server.js"], {}
    )
    assert f"{binding}/alone.py {home}/alone.py " in wrap_command(["python3", f"{home}/alone.py"], {})
    tool = wrap_command(["tool"], {"PATH": f"{home}/.local/bin"})
    assert f"{binding}/.local/lib {home}/.local/lib " in tool
    assert f"{binding}/.local {home}/.local " not in tool
    assert f"{binding} " not in wrap_command(["python3", str(home)], {}, own=(home,))


def test_a_suite_is_hidden_by_each_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the sandbox, a suite is hidden under all its paths, also through symbolic links."""
    environment = tmp_path / "environment"
    suite = environment / "lib" / "suite"
    suite.mkdir(parents=True)
    (environment / "lib64").symlink_to("lib")
    (tmp_path / "workspace").mkdir()
    program = tmp_path / "show.py"
    program.write_text("import os, sys; print([os.listdir(path) for path in sys.argv[1:]])")
    (suite / "answers").touch()
    names = [str(environment / name / "suite") for name in ("lib", "lib64")]
    printed = run_confined(tmp_path / "workspace", suite, environment, str(program), *names)
    assert printed == "[[], []]\n"


def test_a_program_that_should_be_offline_is_reported_if_bubblewrap_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_bubblewrap(monkeypatch)
    assert sandbox.wrap_unconfined(["true"], {}, offline=True) is None
