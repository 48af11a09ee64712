"""Folders around a workspace are seen to be replaced, and to get entries."""

import os
from pathlib import Path

import pytest

from readfirst.harness.workspace.guarded_directory import Folder, SpoiltError


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
