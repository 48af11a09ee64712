"""Checkpoints of files, in cases that no scenario of the family `rewind` can show."""

from pathlib import Path

import pytest

from readfirst import FileTools


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("one\ntwo\n")
    return path


def edit_file(tools: FileTools, path: Path) -> None:
    tools.read(str(path))
    tools.edit(str(path), "one", "ONE")


def test_an_unchanged_file_is_not_rewritten(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    edit_file(tools, notes)
    tools.rewind()
    before = notes.stat()
    tools.rewind()
    assert notes.stat().st_mtime_ns == before.st_mtime_ns


def test_a_rewind_after_a_resume_restores_the_files_of_the_resume(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    edit_file(tools, notes)
    tools.resume()
    tools.read(str(notes))
    tools.edit(str(notes), "two", "TWO")
    tools.rewind()
    assert notes.read_text() == "ONE\ntwo\n"


def test_a_rewind_without_checkpoints_is_refused(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path)
    edit_file(tools, notes)
    with pytest.raises(ValueError, match="open the tools with checkpoints=True"):
        tools.rewind()
    assert notes.read_text() == "ONE\ntwo\n"
