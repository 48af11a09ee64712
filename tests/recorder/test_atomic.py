"""Files are replaced together or not at all."""

import os
import signal
from pathlib import Path

import pytest

from harness.atomic import write_all


def test_a_failure_before_the_first_replacement_leaves_every_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    second.mkdir()
    (second / "c").write_text("")
    blocked = tmp_path / "a" / "below-a-file"
    with pytest.raises(OSError, match=r"exists|directory"):
        write_all({first: b"new", blocked: b"x"})
    assert first.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_an_interrupt_between_two_files_waits_for_the_second(tmp_path: Path, monkeypatch) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if target == first:
            os.kill(os.getpid(), signal.SIGINT)
        return done

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all({first: b"1", second: b"2"})
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


def test_modes_are_kept_and_folders_made(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("x")
    script.chmod(0o755)
    write_all({script: b"y", tmp_path / "new" / "file": b"z"})
    assert script.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "new" / "file").read_bytes() == b"z"
