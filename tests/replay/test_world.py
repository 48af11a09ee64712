"""Events by other programs make exactly the stated changes, only in the workspace, whole seconds apart."""

import os
from pathlib import Path

import pytest

from readfirst.harness.suite.file_entry import RegularFile, Symlink
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.workspace_dir import WorkspaceDir
from readfirst.harness.workspace.world_events import WorldEventError


@pytest.fixture
def root(site: WorkspaceDir) -> Path:
    site.lay_out({"a.txt": RegularFile(b"a"), "d/b.txt": RegularFile(b"b"), "l": Symlink("a.txt")})
    return Path(site.root)


def modify(path: str, data: bytes = b"new", mtime: int | None = 2, mode: int | None = None) -> WorldEvent:
    return WorldEvent("modify", path, RegularFile(data, mode), mtime=mtime)


def test_the_event_modify_keeps_the_inode_and_an_unstated_mode(site: WorkspaceDir, root: Path) -> None:
    (root / "a.txt").chmod(0o640)
    inode = (root / "a.txt").stat().st_ino
    site.perform(modify("a.txt"))
    assert (root / "a.txt").stat().st_ino == inode
    assert site.snapshot()["a.txt"] == RegularFile(b"new", 0o640)
    site.perform(modify("a.txt", mode=0o755))
    assert site.snapshot()["a.txt"] == RegularFile(b"new", 0o755)


@pytest.mark.usefixtures("unprivileged")
def test_the_event_modify_changes_a_read_only_file_and_keeps_its_mode(site: WorkspaceDir) -> None:
    path = Path(site.root) / "a.txt"
    Path(site.root).chmod(0o777)
    path.write_bytes(b"a")
    path.chmod(0o444)
    site.perform(modify("a.txt"))
    assert site.snapshot()["a.txt"] == RegularFile(b"new", 0o444)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (WorldEvent("touch", "none", mtime=2), "cannot touch none: No such file"),
        (WorldEvent("delete", "none"), "cannot delete none: No such file"),
        (WorldEvent("rename", "none", to="x"), "cannot rename none: No such file"),
        (WorldEvent("chmod", "none", mode=0o600), "cannot chmod none: No such file"),
        (WorldEvent("modify", "d", RegularFile(b"")), "cannot modify d: it is not a regular file"),
        (WorldEvent("modify", "a.txt/b", RegularFile(b"")), "cannot modify a.txt/b: "),
        (WorldEvent("modify", "pipe", RegularFile(b"")), "cannot modify pipe: it is not a regular file"),
        (WorldEvent("modify", "a.txt"), "names no content"),
        (WorldEvent("rename", "a.txt"), "names no new path"),
        (WorldEvent("chmod", "a.txt"), "names no mode"),
        (WorldEvent("symlink", "d", Symlink("a.txt")), "cannot symlink d: File exists"),
    ],
)
def test_an_impossible_event_is_an_error(
    site: WorkspaceDir, root: Path, event: WorldEvent, message: str
) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(WorldEventError) as error:
        site.perform(event)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "event",
    [
        modify("escape"),
        modify("away/x.txt"),
        WorldEvent("touch", "escape", mtime=2),
        WorldEvent("chmod", "escape", mode=0o777),
        WorldEvent("delete", "away/kept.txt"),
        WorldEvent("rename", "a.txt", to="away/kept.txt"),
        WorldEvent("symlink", "away/kept.txt", Symlink("a.txt")),
    ],
)
def test_no_event_follows_a_symbolic_link_out_of_the_workspace(
    site: WorkspaceDir, root: Path, tmp_path: Path, event: WorldEvent
) -> None:
    outside = tmp_path / "kept.txt"
    outside.write_bytes(b"kept")
    outside.chmod(0o600)
    status = outside.stat()
    (root / "escape").symlink_to(outside)
    (root / "away").symlink_to(tmp_path)
    with pytest.raises(WorldEventError, match="leads out of the workspace"):
        site.perform(event)
    assert outside.stat()[:9] == status[:9]  # before it is read, which changes the time of access
    assert outside.read_bytes() == b"kept"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
