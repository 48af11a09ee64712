import os
import socket
from pathlib import Path

import pytest

from readfirst.harness.suite.file_entry import Directory, RegularFile, SpecialFile, Symlink
from readfirst.harness.workspace import snapshot as snapshots
from readfirst.harness.workspace.snapshot import TooLargeError, hard_link_names, snapshot
from readfirst.harness.workspace.workspace_dir import WorkspacePool


def test_a_snapshot_ignores_hard_links_outside_the_directory(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "outside").write_bytes(b"")
    (tmp_path / "d" / "a").hardlink_to(tmp_path / "outside")
    assert hard_link_names(snapshot(tmp_path / "d")) == {}


def test_a_snapshot_does_not_follow_symbolic_links(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "out").symlink_to("/")
    assert snapshot(tmp_path) == {"loop": Symlink("."), "out": Symlink("/")}


def test_the_target_of_a_symlink_into_the_workspace_has_a_placeholder(tmp_path: Path) -> None:
    (tmp_path / "inside").symlink_to(tmp_path / "a")
    (tmp_path / "root").symlink_to(tmp_path)
    (tmp_path / "beside").symlink_to(f"{tmp_path}2/a")
    found = snapshot(tmp_path)
    assert found["inside"] == Symlink("$WS/a")
    assert found["root"] == Symlink("$WS")
    assert found["beside"] == Symlink(f"{tmp_path}2/a")


def test_a_snapshot_lists_fifos_and_sockets_without_opening_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert snapshot(tmp_path) == {"pipe": SpecialFile("fifo"), "socket": SpecialFile("socket")}


def test_a_snapshot_of_a_missing_or_replaced_workspace_is_reported_as_an_error(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "none") == {".": SpecialFile("missing")}
    (tmp_path / "file").write_bytes(b"")
    assert snapshot(tmp_path / "file") == {".": SpecialFile("no directory")}


def test_an_enormous_file_is_refused_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_FILE_BYTES", 3)
    (tmp_path / "a").write_bytes(b"four")
    assert snapshot(tmp_path) == {"a": SpecialFile("file of 4 bytes")}


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [("MAX_ENTRIES", 2, "more than 2 files"), ("MAX_TOTAL_BYTES", 11, "more than 11 bytes")],
)
def test_a_snapshot_of_too_many_files_or_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    monkeypatch.setattr(snapshots, limit, value)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"ten bytes.")
    assert len(snapshot(tmp_path)) == 2
    (tmp_path / "b").write_bytes(b"ab")
    with pytest.raises(TooLargeError, match=message):
        snapshot(tmp_path)


def test_a_symbolic_link_in_place_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert snapshot(tmp_path / "link") == {".": Symlink(str(tmp_path))}


@pytest.mark.usefixtures("unprivileged")
def test_the_fixture_unprivileged_makes_permissions_effective(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "a").chmod(0)
    with pytest.raises(PermissionError):
        (tmp_path / "a").read_bytes()


@pytest.mark.usefixtures("unprivileged")
def test_a_snapshot_reads_files_without_permissions_and_does_not_change_them() -> None:
    with WorkspacePool() as place, place.site() as site:
        root = Path(site.root)
        (root / "shut").mkdir()
        (root / "shut" / "a").write_bytes(b"a")
        (root / "shut" / "a").chmod(0)
        (root / "shut").chmod(0)
        expected = {"shut": Directory(0), "shut/a": RegularFile(b"a", 0)}
        assert snapshot(root) == expected
        assert snapshot(root) == expected


def test_the_path_of_the_workspace_in_a_file_name_is_replaced_by_a_placeholder(place: WorkspacePool) -> None:
    found = []
    for _ in range(2):
        with place.site(unique=True) as site:
            file = Path(f"{site.root}/ {site.root}/notes.txt")
            file.parent.mkdir(parents=True)
            file.write_text("alpha\n")
            found.append([*site.snapshot()])
    assert found[0] == found[1]
    assert " /$WS/notes.txt" in found[0]
