"""The tools of a server are recognised by their names and arguments."""

from typing import Any

from readfirst.observatory.targets.guess import Guess, Tool, guesses
from tests.rows import rows


def tool(name: str, *required: str, **properties: Any) -> Tool:
    schemas = {key: {"type": "string"} for key in required} | properties
    return Tool(name, {"type": "object", "properties": schemas, "required": list(required)})


LISTS = tool("list_directory", "path")
EDITS = {"type": "array", "items": {"properties": {"oldText": {}, "newText": {}}}}
LAST = {"$sum": [{"$first": ["$offset", 1]}, "$limit", -1]}


def found(name: str, *offered: Tool) -> Guess:
    return guesses([LISTS, *offered])[name]


@rows(
    ("wanted", "offered", "arguments"),
    [
        ("Read", tool("Read", "file_path"), {}),
        ("Read", tool("read_file", "path"), {"path": "$file_path"}),
        ("Read", tool("readTextFile", "filePath"), {"filePath": "$file_path"}),
        ("Read", tool("view", "path", view_range={"type": "array"}),
         {"path": "$file_path", "view_range": [{"$first": ["$offset", 1]}, LAST]}),
        ("Read", tool("fs.read", "path", start_line={}, end_line={}),
         {"path": "$file_path", "start_line": "$offset", "end_line": LAST}),
        ("Edit", tool("edit", "file", "search", "replace"),
         {"file": "$file_path", "search": "$old_string", "replace": "$new_string"}),
        ("Edit", tool("str_replace", "path", "old_str", "new_str"),
         {"path": "$file_path", "old_str": "$old_string", "new_str": "$new_string"}),
        ("Edit", tool("edit_file", "path", edits=EDITS),
         {"path": "$file_path", "edits": [{"oldText": "$old_string", "newText": "$new_string"}]}),
        ("Write", tool("create_file", "path", "file_text"), {"path": "$file_path", "file_text": "$content"}),
        ("Write", tool("write_file", "file_path", "content"), {}),
    ],
)  # fmt: skip
def test_arguments_are_recognised_and_those_of_the_same_name_left_out(
    wanted: str, offered: Tool, arguments: dict[str, Any]
) -> None:
    guess = found(wanted, offered)
    assert (guess.call, guess.arguments, guess.unknown) == (offered.name, arguments, ())


def test_one_tool_with_a_choice_of_commands_is_called_with_the_right_one() -> None:
    choice = {"enum": ["view", "create", "str_replace", "insert", "undo_edit"]}
    editor = tool("text_editor", "path", command=choice, file_text={}, old_str={}, new_str={})
    commands = {name: guess.arguments["command"] for name, guess in guesses([editor]).items()}
    assert commands == {"Read": "view", "Edit": "str_replace", "Write": "create"}


@rows(
    ("offered", "chosen"),
    [
        ([tool("read_multiple_files", "paths"), tool("read_file", "path")], "read_file"),
        ([tool("read_media_file", "path"), tool("read_text_file", "path")], "read_text_file"),
        ([tool("get_file_info", "path"), tool("get_file", "path")], "get_file"),
        ([tool("read_resource", "uri"), tool("open_file", "path")], "open_file"),
        ([tool("read_file_backwards", "path"), tool("Read", "path")], "Read"),
    ],
)  # fmt: skip
def test_the_nearest_name_is_chosen(offered: list[Tool], chosen: str) -> None:
    assert found("Read", *offered).call == chosen


def test_what_nothing_takes_is_unsupported() -> None:
    assert found("Read", tool("read", "path", "offset")).unsupported == ("limit", "pages")
    assert found("Read", tool("read", "path", "offset", "limit")).unsupported == ("pages",)
    assert found("Edit", tool("edit", "path", "old", "new")).replace_all == "unsupported"
    assert found("Edit", tool("edit", "path", "old", "new", all={})).replace_all == {"flag": "all"}
    assert found("Edit", tool("edit", "path", "old", "new", replace_all={})).replace_all is None


def test_what_is_required_and_unknown_is_named() -> None:
    assert found("Write", tool("write", "path", "content", "reason", "session")).unknown == (
        "reason",
        "session",
    )


def test_a_tool_that_says_nothing_of_its_arguments_is_taken_by_its_name() -> None:
    assert found("Read", Tool("read_file", {"type": "object"})) == Guess("Read", "read_file")


def test_a_tool_that_takes_something_else_is_none() -> None:
    offered = [
        LISTS,
        tool("read_page", "url"),
        tool("edit_profile", "name"),
        tool("create_directory", "path"),
    ]
    assert guesses([*offered, tool("get_weather", "place"), tool("write_note", "text")]) == {}


def test_tools_of_notebooks_are_known_by_their_names() -> None:
    assert guesses([tool("NotebookEdit", "notebook_path")]) == {
        "NotebookEdit": Guess("NotebookEdit", "NotebookEdit")
    }


@rows("schema", [{}, {"properties": []}, {"properties": {"path": True}, "required": [5]}])
def test_an_odd_schema_harms_nobody(schema: dict[str, Any]) -> None:
    guesses([Tool("read_file", schema), Tool("edit", schema), Tool("", schema)])
