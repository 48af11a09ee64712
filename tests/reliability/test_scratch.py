"""Temporary directories are removed at the end of a run, or by the next run if the run was killed."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.processes import rmtree, temp_dirs
from readfirst.harness.processes.temp_dirs import Scratch, ScratchError
from tests.rows import rows

ROOT = Path(__file__).parents[2]
HOLD = """
import time
from readfirst.harness.processes.temp_dirs import Scratch
scratch = Scratch()
(scratch.path / "left").mkdir()
print(scratch.path, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _as_first_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leftovers are removed only with the first temporary directory of a process."""
    monkeypatch.setattr(temp_dirs, "_swept", False)


def hold() -> tuple[subprocess.Popen[str], Path]:
    words, environment = [sys.executable, "-c", HOLD], {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_temporary_directories_are_removed_only_if_their_process_was_killed(temporary: Path) -> None:
    killed, left = hold()
    running, used = hold()
    with killed, running:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert left.exists()
        Scratch().close()
        assert list(temporary.iterdir()) == [used]
        running.kill()


def test_the_lock_of_a_temporary_directory_is_removed_last(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a removal is killed, the next run recognizes the remaining directory by its lock."""
    scratch = Scratch()
    for name in ("a", "z", ".a", ".z"):
        (scratch.path / name / "deep").mkdir(parents=True)
    remove, there = rmtree._retry_without_attributes, []

    def watch_action(action: Callable[[], None], name: str, above: int) -> None:
        there.append((scratch.path / ".lock").exists())
        remove(action, name, above)

    monkeypatch.setattr(rmtree, "_retry_without_attributes", watch_action)
    scratch.close()
    assert there == [*[True] * (len(there) - 1), False], "only the directory itself is removed after its lock"
    assert len(there) > 8
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["readfirst-src", "readfirst-abcdefgh", "something"])
def test_directories_that_readfirst_did_not_create_are_not_removed(temporary: Path, name: str) -> None:
    (temporary / name).mkdir()
    (temporary / name / "file").touch()
    os.utime(temporary / name, (0, 0))
    Scratch().close()
    assert (temporary / name / "file").exists()


def test_a_missing_temporary_directory_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(ScratchError, match=r"cannot make a directory for temporary files: .*Set TMPDIR to"):
        Scratch()


@pytest.fixture
def memory(temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replaces the system's directory in memory. No environment variable selects another directory."""
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(temporary))
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(temp_dirs, "_MEMORY_DIRECTORY", os.fspath(folder))
    monkeypatch.setattr(temp_dirs, "_MIN_FREE_BYTES", 1)
    return folder


def test_a_temporary_directory_is_in_memory_only_on_request_and_is_removed_when_it_is_closed(
    temporary: Path, memory: Path
) -> None:
    with Scratch(memory=True) as fast, Scratch() as slow:
        assert [fast.path.parent, slow.path.parent] == [memory, temporary]
        (slow.folder() / "file").touch()
    assert [*memory.iterdir(), *temporary.iterdir()] == []


@pytest.mark.parametrize("why", ["named", "full", "missing", "read-only"])
def test_the_directory_in_memory_is_not_used_if_it_is_unsuitable(
    temporary: Path, memory: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    match why:
        case "named":
            monkeypatch.setenv("TMPDIR", os.fspath(temporary))
        case "full":
            monkeypatch.setattr(temp_dirs, "_MIN_FREE_BYTES", 1 << 60)
        case "missing":
            memory.rmdir()
        case _:
            monkeypatch.setattr(os, "access", lambda path, _mode: path != os.fspath(memory))
    with Scratch(memory=True) as made:
        assert made.path.parent == temporary


def test_closing_a_temporary_directory_that_was_moved_is_not_an_error(temporary: Path) -> None:
    made = Scratch()
    made.path.rename(temporary / "moved")
    made.close()
    assert [path.name for path in temporary.iterdir()] == ["moved"]


@rows("name", ["a b", "a$(id)", "a'b", "a;b", "a*", "a\tb", 'a"b'])
def test_no_workspace_has_a_path_that_a_shell_takes_apart(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a workspace contains no characters that a shell interprets, even if the temporary directory does."""
    (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
    with pytest.raises(ScratchError, match="Set TMPDIR to a different directory"):
        Scratch()
    assert list((tmp_path / name).iterdir()) == []
