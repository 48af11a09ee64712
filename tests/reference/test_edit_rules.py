"""Edit: what is refused, in which order, and with which words and code."""

from __future__ import annotations

import pytest

from readfirst.reference_impl import Refusal

NOT_READ = "File has not been read yet. Read it first before writing to it."
MODIFIED = (
    "File has been modified since read, either by the user or by a linter. "
    "Read it again before attempting to write it."
)


def refusal(tools, *arguments, **more):
    with pytest.raises(Refusal) as refused:
        tools.edit(*arguments, **more)
    return refused.value.name, refused.value.code, refused.value.message


def test_edit_refuses_equal_strings(tools):
    message = "No changes to make: old_string and new_string are exactly the same."
    assert refusal(tools, "missing.txt", "a", "a") == ("no_changes", 1, message)


def test_edit_refuses_a_path_that_a_rule_denies(make_tools):
    message = "File is in a directory that is denied by your permission settings."
    tools = make_tools(deny=("Edit(secret/**)",))
    assert refusal(tools, "secret/a.txt", "a", "b") == ("permission_denied", 2, message)


def test_edit_refuses_to_create_an_existing_file(tools, put):
    put("a.txt")
    message = "Cannot create new file - file already exists."
    assert refusal(tools, "a.txt", "", "b") == ("file_exists", 3, message)


def test_edit_refuses_a_missing_file(tools, put):
    put("a.txt")
    assert refusal(tools, "a.py", "a", "b") == (
        "file_not_found",
        4,
        "File does not exist. Did you mean a.txt?",
    )


def test_edit_refuses_a_notebook(tools, put):
    put("a.ipynb", "{}")
    message = "File is a Jupyter Notebook. Use the NotebookEdit to edit this file."
    assert refusal(tools, "a.ipynb", "a", "b") == ("is_notebook", 5, message)


def test_edit_refuses_an_unread_file(tools, put):
    put("a.txt")
    assert refusal(tools, "a.txt", "alpha", "b") == ("not_read", 6, NOT_READ)


def test_edit_refuses_a_changed_file(tools, put):
    put("a.txt")
    tools.read("a.txt")
    put("a.txt", "gamma\n", later=2)
    assert refusal(tools, "a.txt", "alpha", "b") == ("modified_since_read", 7, MODIFIED)


def test_edit_refuses_a_text_that_does_not_occur(tools, put):
    put("a.txt")
    tools.read("a.txt")
    message = "String to replace not found in file.\nString: gamma"
    assert refusal(tools, "a.txt", "gamma", "b") == ("string_not_found", 8, message)


def test_edit_refuses_a_text_that_occurs_twice(tools, put):
    put("a.txt", "a a\n")
    tools.read("a.txt")
    message = (
        "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set "
        "replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the "
        "instance.\nString: a"
    )
    assert refusal(tools, "a.txt", "a", "b") == ("multiple_matches", 9, message)


def test_edit_refuses_settings_that_would_become_invalid(tools, put):
    put(".claude/settings.json", '{"model": "opus"}\n')
    tools.read(".claude/settings.json")
    name, code, message = refusal(tools, ".claude/settings.json", "{", "[")
    assert (name, code) == ("invalid_settings", 10)
    assert message.startswith(
        "Claude Code settings.json validation failed after edit:\nInvalid JSON: Expected ','"
    )


def test_every_code_comes_before_the_higher_ones(make_tools, put):
    """The same call, with one reason less at a time."""
    denied, tools = make_tools(deny=("Edit(**)",)), make_tools()
    put("a.txt", "x x\n")
    assert refusal(denied, "a.txt", "", "")[1] == 1
    assert refusal(denied, "a.txt", "", "b")[1] == 2
    assert refusal(tools, "a.txt", "", "b")[1] == 3
    assert refusal(tools, "b.ipynb", "y", "b")[1] == 4
    put("b.ipynb", "x x\n")
    assert refusal(tools, "b.ipynb", "y", "b")[1] == 5
    assert refusal(tools, "a.txt", "y", "b")[1] == 6
    tools.read("a.txt")
    put("a.txt", "x x\n", later=2)
    assert refusal(tools, "a.txt", "y", "b")[1] == 7
    tools.read("a.txt")
    assert refusal(tools, "a.txt", "y", "b")[1] == 8
    assert refusal(tools, "a.txt", "x", "b")[1] == 9


@pytest.mark.parametrize(
    "arguments",
    [("a.txt", "", "b"), ("a.txt", "gamma", "b"), ("a.txt", "a", "b"), ("missing/a.txt", "a", "b")],
)
def test_a_refused_edit_leaves_everything_as_it_was(tools, put, root, arguments):
    path = put("a.txt")
    tools.read("a.txt")
    before = path.stat()
    refusal(tools, *arguments)
    assert path.stat() == before
    assert [entry.name for entry in root.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("content", ["", "\n", "  \n\t\n", "\u00a0\n", "\ufeff"])
def test_a_file_of_blanks_that_was_read_may_be_created_over(tools, put, content):
    path = put("a.txt", content)
    tools.read("a.txt")
    tools.edit("a.txt", "", "new\n")
    assert path.read_bytes() == b"new\n"


def test_a_file_of_blanks_that_was_not_read_fails_in_the_execution(tools, put):
    put("a.txt", "")
    name, code, message = refusal(tools, "a.txt", "", "new\n")
    assert (name, code) == ("unexpectedly_modified", None)
    assert message == "File has been unexpectedly modified. Read it again before attempting to write it."


def test_a_directory_cannot_be_created_over(tools, root):
    (root / "sub").mkdir()
    name, _, message = refusal(tools, "sub", "", "x")
    assert (name, message) == (
        "is_directory",
        "Error calling tool (Edit): EISDIR: illegal operation on a directory, read",
    )


@pytest.mark.parametrize("part", [{}, {"limit": 1}, {"offset": 9}])
def test_any_read_of_the_file_unlocks_all_of_it(tools, put, part):
    path = put("a.txt")
    tools.read("a.txt", **part)
    tools.edit("a.txt", "beta", "gamma")
    assert path.read_text() == "alpha\ngamma\n"


def test_a_null_character_in_a_path_is_refused(tools):
    assert refusal(tools, "a\0b", "x", "y")[2] == "Error calling tool (Edit): Path contains null bytes"


def test_the_documents_ask_for_absolute_paths(make_tools, put):
    path = put("a.txt")
    tools = make_tools("documented")
    assert refusal(tools, "a.txt", "alpha", "b")[0] == "relative_path"
    tools.read(str(path))
    tools.edit(str(path), "alpha", "gamma")
    assert path.read_text() == "gamma\nbeta\n"
