"""Several calls of one message, and files that change while a call is under way."""

from __future__ import annotations

import os

import pytest

CHANGED = "File has been unexpectedly modified. Read it again before attempting to write it."


def edit(path, old, new):
    return ("Edit", {"file_path": path, "old_string": old, "new_string": new})


def read(path):
    return ("Read", {"file_path": path})


def write(path, content):
    return ("Write", {"file_path": path, "content": content})


def test_the_calls_of_a_message_are_executed_in_their_order(tools, put):
    path = put("a.txt", "a\n")
    results = tools.call_parallel(
        [read("a.txt"), edit("a.txt", "a", "b"), edit("a.txt", "b", "c"), read("a.txt")]
    )
    assert [result.is_error for result in results] == [False] * 4
    assert results[-1].text == "     1→c\n     2→"
    assert path.read_text() == "c\n"


def test_a_refusal_does_not_stop_the_other_calls(tools, put, root):
    put("a.txt", "a\n")
    results = tools.call_parallel(
        [edit("a.txt", "a", "b"), read("missing.txt"), ("Foo", {}), ("Edit", {}), write("new.txt", "x")]
    )
    assert [result.error for result in results] == [
        "not_read",
        "file_not_found",
        "invalid_arguments",
        "invalid_arguments",
        None,
    ]
    assert (root / "new.txt").read_text() == "x"


def test_changed_files_are_noticed_after_the_whole_message(tools, root):
    tools.write("a.txt", "alpha\n")
    os.utime(root / "a.txt", (4_000_000_000, 4_000_000_000))
    group = [write("a.txt", "x"), write("a.txt", "x")]
    assert [result.error for result in tools.call_parallel(group)] == ["modified_since_read"] * 2
    assert tools.call(*write("a.txt", "x")).error is None


@pytest.mark.parametrize("call", [edit("a.txt", "alpha", "x"), write("a.txt", "x")])
def test_a_file_that_changes_after_the_validation_is_not_overwritten(tools, put, call):
    path = put("a.txt")
    tools.read("a.txt")
    result = tools.call_during(*call, lambda: put("a.txt", "alpha\nother\n", later=2))
    assert (result.text, result.error, result.code) == (CHANGED, "unexpectedly_modified", None)
    assert path.read_text() == "alpha\nother\n"


@pytest.mark.parametrize("call", [edit("a.txt", "", "x"), write("a.txt", "x")])
def test_a_file_that_appears_after_the_validation_is_not_overwritten(tools, put, root, call):
    assert tools.call_during(*call, lambda: put("a.txt")).error == "unexpectedly_modified"
    assert (root / "a.txt").read_text() == "alpha\nbeta\n"


@pytest.mark.parametrize("call", [edit("a.txt", "beta", "x"), write("a.txt", "x")])
def test_a_touched_file_may_be_changed_after_an_own_change(tools, put, call):
    path = put("a.txt")
    tools.read("a.txt")
    tools.edit("a.txt", "alpha", "gamma")
    assert tools.call_during(*call, lambda: os.utime(path, (4_000_000_000, 4_000_000_000))).error is None


def test_a_file_that_is_deleted_after_the_validation_fails_to_be_edited_and_is_created_by_write(
    tools, put, root
):
    path = put("a.txt")
    tools.read("a.txt")
    result = tools.call_during(*edit("a.txt", "alpha", "x"), path.unlink)
    assert (result.text, result.error) == (
        "String not found in file. Failed to apply edit.",
        "edit_not_applied",
    )
    assert not path.exists()
    put("a.txt")
    tools.read("a.txt")
    assert tools.call_during(*write("a.txt", "x"), path.unlink).text == "File created successfully at: a.txt"


def test_a_text_that_becomes_ambiguous_unnoticed_is_replaced_once(tools, put):
    path = put("a.txt", "alpha\nbeta\n")
    tools.read("a.txt")
    tools.call_during(*edit("a.txt", "alpha", "x"), lambda: put("a.txt", "alpha\nalpha\n"))
    assert path.read_text() == "x\nalpha\n"


def test_a_file_that_becomes_a_directory_is_an_error_of_the_system(tools, put):
    path = put("a.txt")
    tools.read("a.txt")

    def strike():
        path.unlink()
        path.mkdir()

    assert tools.call_during(*edit("a.txt", "alpha", "x"), strike).error == "is_directory"


def test_a_file_deleted_during_its_read_is_named_in_the_error(tools, put, root):
    path = put("a.txt")
    result = tools.call_during(*read("a.txt"), path.unlink)
    assert result.text == f"ENOENT: no such file or directory, open '{root}/a.txt'"


def test_nothing_strikes_when_the_validation_refuses(tools, put):
    put("a.txt")
    struck = []
    assert tools.call_during(*edit("a.txt", "alpha", "x"), lambda: struck.append(1)).error == "not_read"
    assert struck == []
