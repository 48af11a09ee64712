"""Behaviours of single versions that no scenario covers."""

import json

import pytest

from readfirst.reference_impl import FileTools

CELL = {
    "cell_type": "code",
    "id": "a",
    "source": "old",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
}
BOOK = {"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_the_oldest_edit_requires_the_expected_number_of_replacements(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x x y\n")
    tools = FileTools("0.2.126", root=tmp_path)
    tools.read("a.txt")
    arguments = {"file_path": "a.txt", "old_string": "x", "new_string": "z"}
    refused = tools.call("Edit", {**arguments, "expected_replacements": 3})
    assert refused.text.startswith("Found 2 matches of the string to replace, but expected 3.")
    assert tools.call("Edit", arguments).error == "multiple_matches"
    assert not tools.call("Edit", {**arguments, "expected_replacements": 2}).is_error
    assert path.read_text() == "z z y\n"


def test_the_oldest_notebook_edit_identifies_cells_by_number(tmp_path):
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps(BOOK))
    tools = FileTools("0.2.126", root=tmp_path)
    answer = tools.call(
        "NotebookEdit", {"notebook_path": "book.ipynb", "cell_number": 0, "new_source": "new"}
    )
    assert not answer.is_error, answer.text
    assert json.loads(path.read_text())["cells"][0]["source"] == "new"


@pytest.mark.parametrize(
    ("value", "fits"), [("2", True), ("-1", True), ("2.5", False), ("two", False), ("", False)]
)
def test_an_integer_argument_may_be_given_as_a_string_of_digits(tmp_path, value, fits):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    answer = FileTools("2.1.328", root=tmp_path).call("Read", {"file_path": "a.txt", "offset": value})
    assert answer.is_error is not fits


def test_files_in_a_claude_directory_at_any_depth_need_a_permission(tmp_path):
    tools = FileTools("2.1.328", root=tmp_path)
    for name in ("app/.claude/commands/a.md", ".claude/settings.local.json"):
        refused = tools.call("Write", {"file_path": name, "content": "x"})
        assert (refused.error, refused.text.startswith("Claude requested permissions")) == (
            "permission_denied",
            True,
        )
        assert not (tmp_path / name).exists()
    assert not tools.call("Write", {"file_path": "my.claude/a.md", "content": "x"}).is_error


def test_a_write_below_a_symbolic_link_without_a_target_is_refused(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    tools = FileTools("2.1.328", root=tmp_path)
    assert tools.call("Write", {"file_path": "link/deep/a.txt", "content": "x"}).error == "is_link"
    assert not (tmp_path / "nowhere").exists()
