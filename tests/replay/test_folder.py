"""Folders around a workspace are listed only when something came into them or left them."""

import os
from pathlib import Path

import pytest

from readfirst.harness.suite.entry import OLD_TIME
from readfirst.harness.workspace.folder import Folder, SpoiltError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "own").mkdir()
    return made


@pytest.fixture
def folder(path: Path) -> Folder:
    found = Folder(os.fspath(path), "../", {"own"}.__contains__, role="the folder")
    assert found.added() == frozenset()
    return found


def next_tick(path: Path) -> None:
    """Wait until a change is stamped later than the last one of a folder: file systems count in milliseconds."""
    other = path.parent / "other"
    other.touch()
    while other.stat().st_ctime_ns == path.stat().st_ctime_ns:
        os.utime(other)


def test_one_in_which_nothing_happens_is_not_listed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "listdir", lambda _path: pytest.fail("listed"))
    (Path(folder.path) / "own" / "new").touch()
    assert folder.is_untouched()
    assert folder.added() == frozenset()


def test_what_comes_into_it_is_found_every_time(folder: Folder, path: Path) -> None:
    (path / "new").touch()
    assert not folder.is_untouched()
    assert [folder.added(), folder.added()] == [{"new"}, {"new"}]
    (path / "new").unlink()
    assert folder.added() == frozenset()
    assert folder.is_untouched()


def test_what_comes_into_it_is_found_if_its_time_is_set_back(folder: Folder, path: Path) -> None:
    next_tick(path)
    (path / "new").touch()
    os.utime(path, (OLD_TIME, OLD_TIME))
    assert folder.added() == {"new"}


def test_what_comes_while_it_is_listed_is_found_the_next_time(
    folder: Folder, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.listdir

    def slow(where: str) -> list[str]:
        names = listed(where)
        (path / "late").touch()
        return names

    (path / "new").touch()
    (path / "new").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", slow)
        assert folder.added() == frozenset()
    assert folder.added() == {"late"}


def test_one_whose_mode_was_changed_counts_as_touched(folder: Folder, path: Path) -> None:
    path.chmod(0o500)
    assert folder.added() == frozenset()
    assert not folder.is_untouched()


def test_one_that_was_replaced_is_spoilt(folder: Folder, path: Path) -> None:
    path.rename(path.parent / "former")
    path.mkdir()
    for look in (folder.check, folder.added):
        with pytest.raises(SpoiltError, match="removed or replaced the folder"):
            look()


def test_one_that_need_not_be_there_has_nothing_in_it(tmp_path: Path) -> None:
    folder = Folder(os.fspath(tmp_path / "later"), "$HOME/")
    assert folder.added() == frozenset()
    (tmp_path / "later" / "new").mkdir(parents=True)
    assert folder.added() == {"new"}
