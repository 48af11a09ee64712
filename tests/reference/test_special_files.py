import os
import threading
from pathlib import Path
from typing import Any

import pytest

from readfirst import FileTools, Result
from tests.newest import NEWEST

CONTRACTS = ("0.2.126", "1.0.60", "2.1.7", NEWEST, f"{NEWEST}+gated", "documented")
AT_MOST = 20
"""Seconds. A call that takes longer counts as waiting."""


def call_within_limit(tools: FileTools, tool: str, arguments: dict[str, Any]) -> Result:
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(tools.call(tool, arguments)), daemon=True)
    thread.start()
    thread.join(AT_MOST)
    (result,) = results  # otherwise the tool waits
    return result


EDITS = [("Edit", {"old_string": old, "new_string": "beta"}) for old in ("alpha", "")]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_an_endless_device_is_not_read(contract: str, tmp_path: Path) -> None:
    tools = FileTools(contract, root=tmp_path)
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in ("/dev/full", "/dev/zero", str(tmp_path / "link")):
        assert call_within_limit(tools, "Read", {"file_path": path}).error == "special_file"


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/{}", "/dev/../dev//fd/{}", "/proc/self/fd/{}"])
def test_a_path_to_an_open_file_descriptor_is_not_read(path: str, tmp_path: Path) -> None:
    with (tmp_path / "notes.txt").open("w") as file:
        arguments = {"file_path": path.format(file.fileno())}
        assert call_within_limit(FileTools(NEWEST, root=tmp_path), "Read", arguments).error == "special_file"


def test_the_null_device_is_read_as_empty_and_not_replaced(tmp_path: Path) -> None:
    tools = FileTools(NEWEST, root=tmp_path)
    assert "the contents are empty" in call_within_limit(tools, "Read", {"file_path": "/dev/null"}).text
    for tool, others in (*EDITS, ("Write", {"content": "beta\n"})):
        refused = call_within_limit(tools, tool, {"file_path": "/dev/null", **others})
        assert refused.error == "special_file"
        assert refused.text.startswith("/dev/null exists but is not a regular file")
    assert Path("/dev/null").is_char_device()


def test_a_file_that_became_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    tools = FileTools("2.1.7", root=tmp_path)
    assert not tools.call("Write", {"file_path": str(notes), "content": "alpha\n"}).is_error
    notes.unlink()
    os.mkfifo(notes)
    os.utime(notes, (2e9, 2e9))
    assert call_within_limit(tools, "Read", {"file_path": str(notes)}).is_error
    assert call_within_limit(tools, "Read", {"file_path": str(tmp_path / "missing.txt")}).is_error
