import os
import shutil
import tempfile
from pathlib import Path

import pytest

from readfirst.harness.processes.safe_open import DirectoryHandles
from readfirst.harness.suite.file_entry import OLD_TIME, Directory, RegularFile, SpecialFile, Symlink
from readfirst.harness.workspace.guarded_directory import GuardedDirectory, SpoiltError
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


def test_files_of_a_workspace_have_a_fixed_old_time_unless_the_scenario_states_another(
    site: WorkspaceDir,
) -> None:
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


def test_the_path_of_a_workspace_is_short_and_without_symlinks(
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
def test_a_removed_or_replaced_workspace_is_created_again(
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


def test_closing_a_pool_of_workspaces_removes_its_files() -> None:
    with WorkspacePool() as place, place.site():
        base = Path(place.base)
    assert not base.exists()


@pytest.mark.usefixtures("shallow")
def test_a_workspace_with_deeply_nested_directories_is_cleared(place: WorkspacePool) -> None:
    with place.site() as site:
        path = Path(site.root)
        for _ in range(150):
            path = path / "d"
            path.mkdir()
    with place.site() as other:
        assert other.snapshot() == {}


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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "own").mkdir()
    return made


@pytest.fixture
def folder(path: Path) -> GuardedDirectory:
    found = GuardedDirectory(os.fspath(path), "../", {"own"}.__contains__, role="the folder")
    assert found.added() == frozenset()
    return found


def test_replacing_a_guarded_directory_is_an_error(folder: GuardedDirectory, path: Path) -> None:
    path.rename(path.parent / "former")
    path.mkdir()
    for look in (folder.check, folder.added):
        with pytest.raises(SpoiltError, match="removed or replaced the folder"):
            look()


def test_a_guarded_directory_that_may_be_missing_has_no_entries_until_it_exists(tmp_path: Path) -> None:
    folder = GuardedDirectory(os.fspath(tmp_path / "later"), "$HOME/")
    assert folder.added() == frozenset()
    (tmp_path / "later" / "new").mkdir(parents=True)
    assert folder.added() == {"new"}
