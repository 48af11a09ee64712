"""The modes of files restrict every implementation, even if root runs it."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from readfirst.harness.processes import linux_capabilities
from readfirst.harness.processes.linux_capabilities import as_an_ordinary_user
from readfirst.harness.processes.supervised_process import Child

ROOT_RUNS_THIS = os.geteuid() == 0


@pytest.fixture
def closed_file(tmp_path: Path) -> Path:
    file = tmp_path / "closed.txt"
    file.write_text("alpha")
    file.chmod(0)
    return file


def test_an_implementation_in_this_process_cannot_open_a_file_with_mode_0(closed_file: Path) -> None:
    with pytest.raises(PermissionError), as_an_ordinary_user():
        closed_file.read_text()
    assert os.access(closed_file, os.R_OK) == ROOT_RUNS_THIS, "the capabilities are restored"


def test_a_system_without_linux_capabilities_is_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []
    monkeypatch.setattr(linux_capabilities, "_find_capabilities", lambda: None)
    with as_an_ordinary_user():
        entered.append(True)
    assert entered


def run(*command: str) -> tuple[int, str]:
    """Run a program like an implementation. Return its exit code and output."""
    child = Child(
        command,
        directory=None,
        environment={"PATH": os.defpath, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert child.process.stdout is not None
    with child.process.stdout as stream:
        output = stream.read().decode()
    child.end(timeout=30)
    return child.process.returncode, output


def test_an_implementation_in_a_program_cannot_open_a_file_with_mode_0(closed_file: Path) -> None:
    assert run("cat", str(closed_file)) == (1, f"cat: {closed_file}: Permission denied\n")


def test_if_a_program_writes_to_a_file_its_setuid_bit_is_removed(closed_file: Path) -> None:
    closed_file.chmod(0o4755)
    assert run("sh", "-c", f"echo beta > {closed_file}") == (0, "")
    assert stat.S_IMODE(closed_file.stat().st_mode) == 0o755
