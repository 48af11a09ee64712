"""Attacks on `--confine`, really made: each reaches its aim where nothing is confined, and nothing where it is."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from readfirst.harness.processes import view
from readfirst.harness.processes.child import Child
from readfirst.harness.processes.sandbox import find_sandbox
from readfirst.harness.session import BrokenAdapter
from readfirst.harness.suite.suite import default_root
from tests.security.confined import INTRUDER, run_intruder

NOT_THERE = {"FileNotFoundError", "NotADirectoryError"}
REFUSED = {
    "socket": NOT_THERE,
    "abstract socket": {"ConnectionRefusedError"},
    "pipe": NOT_THERE,
    "file": NOT_THERE,
    "file by its process": NOT_THERE | {"PermissionError"},
    "file by another process": NOT_THERE | {"PermissionError"},
    "file by a way up": NOT_THERE,
    "file in another namespace": {"nothing: True"},
    "control groups": {"nothing: True"},
    "a link to it": NOT_THERE,
    "home": NOT_THERE,
    "temporary files of others": NOT_THERE,
    "passwords": {0, "PermissionError", *NOT_THERE},
    "fixtures": NOT_THERE | {"IndexError"},
    "socket to the host": {"OSError"},
    "socket to the kernel": {"OSError"},
    "ring": {"OSError"},
    "keys of the session": {"OSError"},
    "terminal": {"OSError"},
}
"""By attempt, what may come of it."""


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What an intruder wants: sockets and a pipe that somebody listens to, files, a home."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "precious.txt").write_text("precious")
    home = tmp_path / "home"
    home.mkdir()
    (home / "private.txt").write_text("private")
    os.mkfifo(place / "pipe")
    reader = os.open(place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    name = f"readfirst-test-{os.getpid()}"
    with (
        socket.socket(socket.AF_UNIX) as bound,
        socket.socket(socket.AF_UNIX) as abstract,
        tempfile.NamedTemporaryFile(dir="/tmp") as temporary,
    ):
        bound.bind(f"{place}/agent.sock")
        abstract.bind(f"\0{name}")
        for each in (bound, abstract):
            each.listen(8)
        yield {
            "outside": str(place)[1:],
            "inside": str(tmp_path / "workspace")[1:],
            "home": str(home)[1:],
            "temporary": Path(temporary.name).name,
            "abstract": name,
            "harness": os.getpid(),
            "fixtures": str(default_root())[1:],
        }
    os.close(reader)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A workspace that another user may write to, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_unconfined_these_attacks_reach_their_aims(outside: dict[str, Any], workspace: Path) -> None:
    command = [sys.executable, str(INTRUDER), json.dumps(outside)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, cwd=workspace).stdout)
    aims = (
        "socket",
        "abstract socket",
        "pipe",
        "file",
        "file by a way up",
        "control groups",
        "a link to it",
        "home",
        "fixtures",
    )
    for aim in (*aims, "temporary files of others"):
        assert found[aim] not in REFUSED[aim], aim


def check(found: dict[str, Any], shown: Mapping[str, list[str]] = MappingProxyType({})) -> None:
    assert {name: found[name] for name, allowed in REFUSED.items() if found[name] not in allowed} == {}
    places = found["folders for temporary files"]
    assert places == {place: shown.get(place, []) for place in places}
    assert set(places) >= {"/run", "/dev/shm"}
    assert found["file by a descriptor"] == []
    assert set(found["disk"]) <= {"full", "null", "random", "shm", "tty", "urandom", "zero"}
    assert found["own file"] is True


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_a_confined_program_reaches_nothing_outside(outside: dict[str, Any], place: str) -> None:
    """Of a folder for temporary files there is the workspace, and nothing beside it."""
    if not Path(place).is_dir():
        pytest.skip("only Linux has files in memory there")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        (Path(folder) / "other").mkdir()
        try:
            found = json.loads(run_intruder(workspace, json.dumps({**outside, "inside": str(workspace)[1:]})))
        except BrokenAdapter as error:
            pytest.skip(f"this system has no way to confine: {error}")
        check(found, {place: [Path(folder).name]})
        assert (workspace / "link").is_symlink()
        assert sorted(each.name for each in Path(folder).iterdir()) == ["other", "workspace"]


def printed(command: str, workspace: Path, *own: Path, shell: str = "sh") -> str:
    """Return what a confined shell prints that is shown these folders."""
    try:
        sandbox = replace(find_sandbox(), own=own)
    except BrokenAdapter as error:
        pytest.skip(f"this system has no way to confine: {error}")
    with tempfile.TemporaryFile() as output:
        child = Child(
            [shell, "-c", f"exec 2>/dev/null; {command}"],
            directory=workspace,
            environment={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            stdout=output.fileno(),
            stderr=output.fileno(),
            sandbox=sandbox,
            writable=[workspace],
        )
        child.wait(30)
        child.end()
        output.seek(0)
        return output.read().decode()


def test_settings_that_are_not_for_everybody_are_closed_however_deep_they_lie(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings"
    for name, mode in {
        "plain": 0o644,
        "ssh/key": 0o600,
        "a/b/c/for-a-group": 0o640,
        "closed/key": 0o644,
    }.items():
        (settings / name).parent.mkdir(parents=True, exist_ok=True)
        (settings / name).write_text(f"{name} ")
        (settings / name).chmod(mode)
    (settings / "closed").chmod(0o700)
    everything = f"cat {settings}/plain {settings}/ssh/key {settings}/a/b/c/* {settings}/closed/key"
    assert printed(everything, workspace, settings) == "plain ssh/key a/b/c/for-a-group closed/key "
    monkeypatch.setattr(view, "_SETTINGS", (str(settings),))
    view._closed.cache_clear()
    try:
        assert printed(everything, workspace, settings) == "plain "
    finally:
        view._closed.cache_clear()


@pytest.mark.parametrize(
    "place", ["", "build/lib", ".venv/lib/python3.12/site-packages", "a/env/lib/python3.11/dist-packages"]
)
def test_a_copy_of_the_suite_within_the_program_s_project_is_hidden(
    place: str, workspace: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    copy = project / place / "readfirst"
    for folder in ("fixtures", "docs", "harness"):
        (copy / folder / "found").mkdir(parents=True)
    found = printed(f"cd {copy}; echo */*", workspace, project)
    assert found == "harness/found\n"


def test_of_what_is_hidden_in_a_project_that_has_its_environment_the_program_sees_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".venv/bin/python", "tests/mine/server.py", "tests/others/answers.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(view, "_of_the_suite", lambda: (tmp_path / "tests",))
    monkeypatch.setattr(view, "_private", lambda: ())
    command = [str(tmp_path / ".venv/bin/python"), str(tmp_path / "tests/mine/server.py")]
    places = view.view(command, {}, Path("/")).places(Path("/"), [])
    shown = [("show", str(tmp_path)), ("hide", f"{tmp_path}/tests"), ("show", f"{tmp_path}/tests/mine")]
    assert [place for place in places if place in shown] == shown


def test_a_copy_of_the_suite_is_hidden_by_every_name_of_its_environment(
    workspace: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    copy = "python3.11/site-packages/readfirst"
    for folder in ("fixtures", "harness"):
        (environment / "lib" / copy / folder / "found").mkdir(parents=True)
    (environment / "lib64").symlink_to("lib")
    (environment / "bin").mkdir()
    (environment / "pyvenv.cfg").touch()
    program = environment / "bin" / "program"
    program.write_text('#!/bin/sh\nexec sh "$@"\n')
    program.chmod(0o755)
    for name in ("lib", "lib64"):
        found = printed(f"cd {environment}/{name}/{copy}; echo */*", workspace, shell=str(program))
        assert found == "harness/found\n"


def test_a_link_in_its_own_place_shows_a_program_that_is_started_again_nothing(
    workspace: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("precious")
    (workspace / "h").symlink_to(secret)
    for word in (f"{workspace}/h", f"--home={workspace}/h", f"{workspace}/h/key"):
        seen = view.view(["true", word], {"PATH": f"{workspace}/h"}, Path("/"), writable=[workspace])
        assert str(secret) not in str(seen.places(Path("/"), [workspace]))


@pytest.mark.skipif(not Path("/opt").is_dir(), reason="only some systems have it")
def test_of_what_is_optional_it_sees_its_own_alone() -> None:
    places = view.view(["/opt/mine/server"], {}, Path("/"), own=[Path("/opt")]).places(Path("/"), [])
    assert [place for place in places if place[1].startswith("/opt")] == []


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root becomes another user")
def test_an_ordinary_user_confines_as_well(outside: dict[str, Any], everybodys: Path) -> None:
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for python in (sys.executable, "/usr/bin/python3"):
        probe = [
            *nobody,
            python,
            "-c",
            "import os, sys; sys.exit(sys.version_info < (3, 11) or not os.access(sys.executable, os.X_OK)"
            " or not os.access(sys.argv[1], os.R_OK))",
            str(INTRUDER),
        ]
        if shutil.which(python) and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            break
    else:
        pytest.skip("no Python here, or not this checkout, can be used by everybody")
    driver = [*nobody, python, str(INTRUDER.with_name("confined.py")), str(everybodys), json.dumps(outside)]
    done = subprocess.run(driver, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))
