"""Checkpoints: what `rewind` brings back, and what it leaves alone."""

from pathlib import Path

import pytest

from readfirst import FileTools


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("one\ntwo\n")
    return path


def edited(tools: FileTools, path: Path) -> None:
    tools.read(str(path))
    tools.edit(str(path), "one", "ONE")


def test_edited_files_come_back_with_their_mode_and_created_ones_go(notes: Path, tmp_path: Path) -> None:
    notes.chmod(0o600)
    tools = FileTools(root=tmp_path, checkpoints=True)
    edited(tools, notes)
    tools.write(str(tmp_path / "folder/new.txt"), "new\n")
    notes.unlink()
    tools.rewind()
    assert notes.read_text() == "one\ntwo\n"
    assert notes.stat().st_mode & 0o7777 == 0o600
    assert list((tmp_path / "folder").iterdir()) == []


def test_the_model_is_told_of_it_once_and_may_edit_again(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    edited(tools, notes)
    tools.rewind()
    told = tools.call("Read", {}).reminders
    assert [f"{notes} was modified" in each for each in told] == [True]
    assert tools.call("Read", {}).reminders == ()
    tools.edit(str(notes), "one", "uno")
    assert notes.read_text() == "uno\ntwo\n"


def test_a_file_that_is_as_it_was_is_not_written(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    edited(tools, notes)
    tools.rewind()
    before = notes.stat()
    tools.rewind()
    assert notes.stat().st_mtime_ns == before.st_mtime_ns


def test_what_a_sub_agent_edits_stays(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    with tools.sub_agent() as agent:
        edited(agent, notes)
    tools.rewind()
    assert notes.read_text() == "ONE\ntwo\n"


def test_after_a_resume_files_go_back_to_what_they_were_then(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path, checkpoints=True)
    edited(tools, notes)
    tools.resume()
    tools.read(str(notes))
    tools.edit(str(notes), "two", "TWO")
    tools.rewind()
    assert notes.read_text() == "ONE\ntwo\n"


def test_tools_that_keep_nothing_say_so(notes: Path, tmp_path: Path) -> None:
    tools = FileTools(root=tmp_path)
    edited(tools, notes)
    with pytest.raises(ValueError, match="open the tools with checkpoints=True"):
        tools.rewind()
    assert notes.read_text() == "ONE\ntwo\n"
