import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from readfirst.harness.processes.safe_open import DirectoryHandles
from readfirst.harness.suite.file_entry import OLD_TIME, Directory, RegularFile, SpecialFile, Symlink
from readfirst.harness.workspace import snapshot as snapshots
from readfirst.harness.workspace.guarded_directory import GuardedDirectory, SpoiltError
from readfirst.harness.workspace.snapshot import TooLargeError, hard_link_names, snapshot
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_modes_of_files_in_a_workspace_do_not_depend_on_the_umask(site: WorkspaceDir, umask: int) -> None:
    former = os.umask(umask)
    try:
        site.lay_out(
            {"d/plain": RegularFile(b""), "d/secret": RegularFile(b"", 0o600), "open": Directory(0o777)}
        )
    finally:
        os.umask(former)
    assert site.snapshot() == {
        "d": Directory(0o755),
        "d/plain": RegularFile(b"", 0o644),
        "d/secret": RegularFile(b"", 0o600),
        "open": Directory(0o777),
    }


def test_files_have_a_fixed_old_time_unless_the_scenario_states_another(site: WorkspaceDir) -> None:
    given = {"d/e/f": RegularFile(b""), "link": Symlink("d"), "late": RegularFile(b"", mtime=OLD_TIME + 9)}
    site.lay_out(given)
    root = Path(site.root)
    times = {path.name: path.lstat().st_mtime_ns for path in (root, *root.rglob("*"))}
    late = times.pop("late")
    assert set(times.values()) == {OLD_TIME * 10**9}
    assert late == (OLD_TIME + 9) * 10**9


def test_a_device_cannot_be_created_in_a_workspace(site: WorkspaceDir) -> None:
    with pytest.raises(ValueError, match="cannot create a device"):
        site.lay_out({"disk": SpecialFile("device")})


def test_the_path_of_a_workspace_is_short_and_has_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    with WorkspacePool() as place, place.site() as site:
        assert os.path.realpath(site.root) == site.root
        assert Path(site.root).is_relative_to(tmp_path / "real")
        assert len(site.root) - len(place.base) < 8


def test_a_workspace_is_empty_after_use(place: WorkspacePool) -> None:
    with place.site() as site:
        root = Path(site.root)
        (root / "d" / "e").mkdir(parents=True)
        (root / "d" / "f").write_bytes(b"")
        (root / "l").symlink_to("/")
        os.mkfifo(root / "pipe")
        (Path(site.home) / "stray").write_bytes(b"")
        (root.parent / "stray").mkdir()
    with place.site() as again:
        assert again.root == site.root
        assert again.snapshot() == {}


@pytest.mark.usefixtures("unprivileged")
def test_directories_without_permissions_are_removed_from_a_workspace() -> None:
    with WorkspacePool() as place:
        with place.site() as site:
            (Path(site.root) / "shut" / "inner").mkdir(parents=True)
            (Path(site.root) / "shut").chmod(0)
        with place.site() as site:
            assert site.snapshot() == {}
    assert not Path(place.base).exists()


@pytest.mark.parametrize("replacement", ["missing", "file", "link"])
def test_a_missing_or_replaced_workspace_is_made_again(
    place: WorkspacePool, tmp_path: Path, replacement: str
) -> None:
    with place.site() as site:
        root = Path(site.root)
        root.rmdir()
        if replacement == "file":
            root.write_bytes(b"")
        elif replacement == "link":
            (tmp_path / "kept").write_bytes(b"kept")
            root.symlink_to(tmp_path)
        assert list(site.snapshot()) == ["."]
    with place.site() as site:
        assert site.snapshot() == {}
        assert not Path(site.root).is_symlink()
    if replacement == "link":
        assert (tmp_path / "kept").read_bytes() == b"kept"


def test_files_next_to_the_workspace_and_at_home_are_in_the_snapshot(site: WorkspaceDir) -> None:
    (Path(site.root).parent / "stray.txt").write_bytes(b"s")
    (Path(site.home) / ".settings").mkdir(mode=0o755)
    assert site.snapshot() == {"../stray.txt": RegularFile(b"s", 0o644), "$HOME/.settings": Directory(0o755)}


def test_caches_and_settings_of_known_programs_at_home_are_not_in_the_snapshot(site: WorkspaceDir) -> None:
    for name in (".claude.json", ".claude", ".cache", ".cache.bak", ".npmrc"):
        (Path(site.home) / name).mkdir(mode=0o755)
    assert site.snapshot().keys() == {"$HOME/.cache.bak", "$HOME/.npmrc"}


def test_unique_workspaces_have_different_paths_in_one_directory(place: WorkspacePool) -> None:
    roots = []
    for _ in range(3):
        with place.site(unique=True) as site:
            roots.append(Path(site.root))
            assert site.snapshot() == {}
    assert len(set(roots)) == 3
    assert len({root.parent for root in roots}) == 1


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_closing_a_pool_of_workspaces_closes_all_its_files() -> None:
    def spoil() -> None:
        with place.site() as site:
            site.snapshot()
            shutil.rmtree(site.around)

    before = open_files()
    with WorkspacePool() as place:
        with place.site() as site:
            site.snapshot()
            in_use = open_files()
        with pytest.raises(SpoiltError):
            spoil()
    assert before < in_use
    assert open_files() == before


def test_failing_to_create_a_directory_leaves_no_open_file(tmp_path: Path) -> None:
    before = open_files()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    with DirectoryHandles(os.fspath(tmp_path)) as below, pytest.raises(NotADirectoryError):
        below.at("folder/file/deeper")
    assert open_files() == before


def test_replacing_a_guarded_directory_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "own").mkdir(parents=True)
    folder = GuardedDirectory(os.fspath(path), "../", {"own"}.__contains__, role="the folder")
    assert folder.added() == frozenset()
    path.rename(tmp_path / "former")
    path.mkdir()
    for look in (folder.check, folder.added):
        with pytest.raises(SpoiltError, match="removed or replaced the folder"):
            look()


def test_a_guarded_directory_that_may_be_missing_has_no_entries_until_it_exists(tmp_path: Path) -> None:
    folder = GuardedDirectory(os.fspath(tmp_path / "later"), "$HOME/")
    assert folder.added() == frozenset()
    (tmp_path / "later" / "new").mkdir(parents=True)
    assert folder.added() == {"new"}


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


def test_a_snapshot_does_not_open_fifos_and_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert snapshot(tmp_path) == {"pipe": SpecialFile("fifo"), "socket": SpecialFile("socket")}


def test_a_snapshot_of_a_missing_or_replaced_workspace_is_reported_as_an_error(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "none") == {".": SpecialFile("missing")}
    (tmp_path / "file").write_bytes(b"")
    assert snapshot(tmp_path / "file") == {".": SpecialFile("no directory")}
    (tmp_path / "link").symlink_to(tmp_path)
    assert snapshot(tmp_path / "link") == {".": Symlink(str(tmp_path))}


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


@pytest.mark.usefixtures("unprivileged")
def test_a_snapshot_reads_files_without_permissions_and_does_not_change_them(site: WorkspaceDir) -> None:
    shut = Path(site.root, "shut")
    shut.mkdir()
    (shut / "a").write_bytes(b"a")
    (shut / "a").chmod(0)
    shut.chmod(0)
    for _ in range(2):
        assert snapshot(site.root) == {"shut": Directory(0), "shut/a": RegularFile(b"a", 0)}


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
