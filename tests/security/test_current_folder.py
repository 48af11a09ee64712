import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from readfirst.harness.processes.supervised_process import run_program

from .conftest import slow

TRAP = "import os; os.makedirs({trap!r}, exist_ok=True)\n"
PYTHON = [sys.executable, "-c", "import stranger"]
ERRAND = """
from readfirst.harness.processes.supervised_process import run_program
run_program(["sh", "-c", "exec 3>{pipe}; echo started >&3; exec sleep 60"], seconds=60)
"""


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path that exists only after a hostile module of the current directory was imported."""
    folder = tmp_path / "strangers"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, "pip", "readfirst", "stranger", "typer", "yaml"):
        (folder / f"{name}.py").write_text(TRAP.format(trap=str(tmp_path / "imported")))
    monkeypatch.chdir(folder)
    return tmp_path / "imported"


@pytest.mark.parametrize(
    "words",
    [
        ["run", "reference", "gate/edit-unread", "gate/edit-after-read", "--jobs", "2"],
        slow(["fuzz", "reference", "--steps", "5"]),
    ],
)
def test_a_command_imports_nothing_from_it(words: list[str], trap: Path) -> None:
    """A command of readfirst imports no module from the current directory."""
    done = subprocess.run([sys.executable, "-P", "-m", "readfirst", *words], check=False, capture_output=True)
    assert (done.returncode, trap.exists()) == (0, False)


@pytest.mark.slow
def test_the_action_installs_nothing_of_it(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The GitHub action imports no module from the current directory while it installs readfirst."""
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text("utf-8"))
    script = action["runs"]["steps"][0]["run"]
    monkeypatch.setenv("PYTHON", sys.executable)
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    monkeypatch.setenv("GITHUB_ACTION_PATH", "/none")
    done = subprocess.run(["bash", "-e", "-c", script], capture_output=True, text=True, check=False)
    assert "/none" in done.stderr
    assert not trap.exists()
    assert (tmp_path / "readfirst/bin/python").exists()


def test_what_is_run_to_its_end_is_elsewhere(trap: Path) -> None:
    """A helper program that readfirst runs imports no module from the current directory."""
    assert run_program(PYTHON, seconds=60).returncode == 1
    assert not trap.exists()
    assert subprocess.run(PYTHON, check=False).returncode == 0
    assert trap.exists()


def test_what_is_run_to_its_end_ends_with_who_is_killed(tmp_path: Path) -> None:
    """If readfirst is killed, a helper program that it runs ends, too."""
    pipe = tmp_path / "pipe"
    subprocess.run(["mkfifo", pipe], check=True)
    with (
        subprocess.Popen([sys.executable, "-c", ERRAND.format(pipe=pipe)]) as running,
        pipe.open() as pipe_end,
    ):
        assert pipe_end.readline() == "started\n"
        running.send_signal(signal.SIGKILL)
        assert pipe_end.read() == ""
