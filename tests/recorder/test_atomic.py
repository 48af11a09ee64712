import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from readfirst.harness.yaml_io.atomic_write import StagedFile, write_all


def test_if_one_new_file_cannot_be_written_no_file_is_replaced(tmp_path: Path) -> None:
    first = tmp_path / "a"
    first.write_text("old")
    with pytest.raises(OSError, match=r"exists|directory"):
        write_all({first: b"new", first / "below-a-file": b"x"})
    assert first.read_text() == "old"
    assert [*tmp_path.iterdir()] == [first]


def test_an_interrupt_waits_until_all_files_are_replaced(tmp_path: Path, monkeypatch) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    replace = Path.replace

    def replace_then_interrupt(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if target == first:
            os.kill(os.getpid(), signal.SIGINT)
        return done

    monkeypatch.setattr(Path, "replace", replace_then_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_all({first: b"1", second: b"2"})
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


def test_replacing_files_keeps_their_modes_and_creates_missing_directories(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("x")
    script.chmod(0o755)
    write_all({script: b"y", tmp_path / "new" / "file": b"z"})
    assert script.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "new" / "file").read_bytes() == b"z"


KILLED = """
import os, sys
from pathlib import Path
from readfirst.harness.yaml_io.atomic_write import StagedFile
staged = StagedFile(Path(sys.argv[1]))
staged.stream.write(b"half")
staged.finish()
if sys.argv[2] == "dies":
    os.kill(os.getpid(), 9)
print(flush=True)
sys.stdin.read()
"""
"""Writes half of a new file, and then is killed or waits."""


def test_temporary_files_are_removed_only_if_the_process_that_wrote_them_was_killed(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    command = [sys.executable, "-c", KILLED, str(target)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([*command, "dies"], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 2
    assert target.read_text() == "old"
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*command, "lives"], env=environment, **piped) as living:
        assert living.stdout is not None
        living.stdout.readline()
        write_all({target: b"new"})
        assert target.read_bytes() == b"new"
        assert len(list(tmp_path.iterdir())) == 2
    assert next(path for path in tmp_path.iterdir() if path != target).read_bytes() == b"half"


def test_files_with_names_like_temporary_files_are_not_removed(tmp_path: Path) -> None:
    others = [".file-backup", ".file-backup1x", ".other-abcdefgh", "file-abcdefgh"]
    for name in others:
        (tmp_path / name).touch()
    with StagedFile(tmp_path / "file") as staged:
        staged.finish()
        staged.replace()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "file"])
