"""`HeldFiles` keeps removed files open, so that the system does not reuse their inodes."""

import os
from pathlib import Path

from readfirst.observatory.agents.inode_pins import HeldFiles


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_inode_of_a_removed_file_is_not_given_away(tmp_path: Path) -> None:
    pins, file, seen = HeldFiles(), tmp_path / "file", set()
    try:
        for _ in range(20):
            file.write_text("text")
            pins.hold(tmp_path)
            assert file.stat().st_ino not in seen
            seen.add(file.stat().st_ino)
            file.unlink()
        assert len(pins) == 20
    finally:
        pins.release()


def test_a_file_that_is_held_is_held_once_and_nothing_else_is_touched(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("text")
    (tmp_path / "other name").hardlink_to(tmp_path / "folder" / "file")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "shut").write_text("text")
    (tmp_path / "shut").chmod(0)
    before, pins = open_descriptors(), HeldFiles()
    pins.hold(tmp_path)
    pins.hold(tmp_path)
    assert len(pins) == open_descriptors() - before == 3
    pins.release()
    assert open_descriptors() == before


def test_a_folder_that_an_agent_replaced_by_a_link_is_not_walked(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("text")
    (tmp_path / "root").symlink_to(tmp_path / "elsewhere")
    pins = HeldFiles()
    pins.hold(tmp_path / "root")
    pins.hold(tmp_path / "gone")
    assert len(pins) == 0
