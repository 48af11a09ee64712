"""Who follows one Edit through the reference opens few files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import readfirst.reference_impl
from readfirst import FileTools, Result

CODE = Path(readfirst.reference_impl.__file__).resolve().parent
MOST_FILES = 8


def visited(call: Callable[[], Result]) -> tuple[Result, set[str]]:
    """Return what a call gives, and the files of the reference that have a line of a function executed for it."""
    files: set[str] = set()

    def entered(frame: FrameType, event: str, argument: Any) -> None:
        file = Path(frame.f_code.co_filename).resolve()
        if file.is_relative_to(CODE):
            files.add(file.relative_to(CODE).as_posix())

    former = sys.gettrace()
    sys.settrace(entered)
    try:
        result = call()
    finally:
        sys.settrace(former)
    return result, files


@pytest.mark.parametrize("contract", ["0.2.126", "1.0.60", "2.1.7", "2.1.208+gated", "2.1.328", "documented"])
def test_following_one_edit_takes_few_files(contract: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("alpha\nbeta\n")
    tools = FileTools(contract, root=tmp_path)
    assert not tools.call("Read", {"file_path": str(file)}).is_error
    edit = {"file_path": str(file), "old_string": "alpha", "new_string": "gamma"}
    result, files = visited(lambda: tools.call("Edit", edit))
    assert not result.is_error, result.text
    assert file.read_text() == "gamma\nbeta\n"
    assert {"file_tools.py", "tools/edit.py", "session/memory.py", "files/disk.py"} <= files
    assert len(files) <= MOST_FILES, sorted(files)
