"""A snapshot sees every byte, type, mode and link target, and nothing can hide from it or stop it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.suite.file_entry import Directory, RegularFile, SpecialFile, Symlink
from readfirst.harness.workspace import snapshot as snapshots
from readfirst.harness.workspace.snapshot import (
    Snapshots,
    TooLargeError,
    names_of,
    snapshot,
    tells_changes,
)
from readfirst.harness.workspace.workspace_dir import WorkspacePool


def test_a_name_outside_of_what_is_looked_at_is_none(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "outside").write_bytes(b"")
    (tmp_path / "d" / "a").hardlink_to(tmp_path / "outside")
    assert names_of(snapshot(tmp_path / "d")) == {}


def test_links_are_not_followed_even_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "out").symlink_to("/")
    assert snapshot(tmp_path) == {"loop": Symlink("."), "out": Symlink("/")}


def test_a_link_into_the_workspace_is_reported_without_the_path_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "inside").symlink_to(tmp_path / "a")
    (tmp_path / "root").symlink_to(tmp_path)
    (tmp_path / "beside").symlink_to(f"{tmp_path}2/a")
    found = snapshot(tmp_path)
    assert found["inside"] == Symlink("$WS/a")
    assert found["root"] == Symlink("$WS")
    assert found["beside"] == Symlink(f"{tmp_path}2/a")


def test_fifos_and_sockets_are_named_and_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert snapshot(tmp_path) == {"pipe": SpecialFile("fifo"), "socket": SpecialFile("socket")}


def test_a_missing_or_replaced_root_is_reported(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "none") == {".": SpecialFile("missing")}
    (tmp_path / "file").write_bytes(b"")
    assert snapshot(tmp_path / "file") == {".": SpecialFile("no directory")}


def test_an_enormous_file_is_reported_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAXIMUM_FILE_SIZE", 3)
    (tmp_path / "a").write_bytes(b"four")
    assert snapshot(tmp_path) == {"a": SpecialFile("file of 4 bytes")}


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [("MAXIMUM_ENTRIES", 2, "more than 2 files"), ("MAXIMUM_SIZE", 11, "more than 11 bytes")],
)
def test_more_than_anybody_can_want_to_compare_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    monkeypatch.setattr(snapshots, limit, value)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"ten bytes.")
    assert len(snapshot(tmp_path)) == 2
    (tmp_path / "b").write_bytes(b"ab")
    with pytest.raises(TooLargeError, match=message):
        snapshot(tmp_path)


def test_a_link_in_the_place_of_the_root_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert snapshot(tmp_path / "link") == {".": Symlink(str(tmp_path))}


@pytest.mark.usefixtures("unprivileged")
def test_permissions_count_in_the_tests_that_are_about_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "a").chmod(0)
    with pytest.raises(PermissionError):
        (tmp_path / "a").read_bytes()


@pytest.mark.usefixtures("unprivileged")
def test_what_has_no_permissions_is_read_and_keeps_having_none() -> None:
    with WorkspacePool() as place, place.site() as site:
        root = Path(site.root)
        (root / "shut").mkdir()
        (root / "shut" / "a").write_bytes(b"a")
        (root / "shut" / "a").chmod(0)
        (root / "shut").chmod(0)
        expected = {"shut": Directory(0), "shut/a": RegularFile(b"a", 0)}
        assert snapshot(root) == expected
        assert snapshot(root) == expected


def test_what_is_made_by_the_path_of_the_workspace_has_the_same_name_in_every_place(
    place: WorkspacePool,
) -> None:
    found = []
    for _ in range(2):
        with place.site(unique=True) as site:
            file = Path(f"{site.root}/ {site.root}/notes.txt")
            file.parent.mkdir(parents=True)
            file.write_text("alpha\n")
            found.append([*site.snapshot()])
    assert found[0] == found[1]
    assert " /$WS/notes.txt" in found[0]


def _written_in_time(path: Path) -> None:
    """Write as many bytes as there were, and let the file have its old time."""
    status = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _replaced_in_time(path: Path) -> None:
    status = path.stat()
    other = path.with_name("other")
    other.write_bytes(b"two")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": _written_in_time,
    "replaced": _replaced_in_time,
    "mode": lambda path: path.chmod(0o600),
    "touched": os.utime,
    "another name": lambda path: (path.parent / "name").hardlink_to(path),
    "removed": Path.unlink,
    "a link": lambda path: (path.unlink(), path.symlink_to("b.txt")),
    "folder removed": lambda path: (path.unlink(), path.parent.rmdir()),
    "beside it": lambda path: (path.parent / "new").mkdir(),
    "elsewhere": lambda path: (path.parent.parent / "b.txt").write_bytes(b"b"),
    "nothing": lambda path: path.read_bytes(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_taken_from_the_last_snapshot_is_what_another_would_see(tmp_path: Path, change: str) -> None:
    if not tells_changes(os.fspath(tmp_path)):
        pytest.skip("the file system does not tell each change")
    path = tmp_path / "root" / "folder" / "a.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one")
    root = os.fspath(tmp_path / "root")
    taken = Snapshots()
    before = taken.take(root)
    CHANGES[change](path)
    now = taken.take(root)
    assert now == snapshot(root)
    assert [each.stamp for each in now.values() if isinstance(each, RegularFile)] == [
        each.stamp for each in snapshot(root).values() if isinstance(each, RegularFile)
    ]
    assert (now is before) == (change == "nothing")


def test_a_root_that_comes_back_is_seen(tmp_path: Path) -> None:
    taken, root = Snapshots(), tmp_path / "root"
    assert taken.take(os.fspath(root)) == {".": SpecialFile("missing")}
    root.mkdir()
    (root / "a.txt").write_bytes(b"")
    assert [*taken.take(os.fspath(root))] == ["a.txt"]
