"""The tools of a server that correspond to Read, Edit and Write are recognised by their names and arguments."""

import re
from typing import Any

from readfirst.observatory.targets.infer_mapping import Guess, Tool, guess_calls
from tests.rows import rows


def tool(name: str, *required: str, **properties: Any) -> Tool:
    schemas = {key: {"type": "string"} for key in required} | properties
    return Tool(name, {"type": "object", "properties": schemas, "required": list(required)})


LISTS = tool("list_directory", "path")
EDITS = {"type": "array", "items": {"properties": {"oldText": {}, "newText": {}}}}
LAST = {"$sum": [{"$first": ["$offset", 1]}, "$limit", -1]}


def find_guess(name: str, *offered: Tool) -> Guess:
    return guess_calls([LISTS, *offered])[name]


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
    guess = find_guess(wanted, offered)
    assert (guess.call, guess.arguments, guess.unknown) == (offered.name, arguments, ())


EDIT = {"type": "object", "properties": {"old": {}, "new": {}, "replace_all": {}}}
SPECIAL = {
    "edits": EDITS,
    "edit": EDIT,
    "file_paths": {"type": "array"},
    "mode": {"enum": ["rewrite", "append"]},
}


def parse_tools(tools: str) -> list[Tool]:
    """Parse lines such as `read_file(path, limit?)`. A question mark means that the argument is optional."""
    offered = []
    for name, arguments in re.findall(r"(\w+)\((.*?)\)", tools):
        names = arguments.split(", ")
        further = {each.rstrip("?"): SPECIAL.get(each.rstrip("?"), {}) for each in names}
        schema = {"properties": further, "required": [each for each in names if not each.endswith("?")]}
        offered.append(Tool(name, schema))
    return offered


SERVERS = {
    "of a newcomer": """
        read_file(path)
        replace_in_file(path, find, replace_with, every?)
        save_file(path, content)""",
    "server-filesystem": """
        read_text_file(path, tail?, head?)
        edit_file(path, edits, dryRun?)
        write_file(path, content)""",
    "desktop-commander": """
        read_file(path, isUrl?, offset?, length?)
        edit_block(file_path, old_string, new_string, expected_replacements?)
        write_file(path, content, mode?)""",
    "serena-agent": """
        read_file(relative_path, start_line?, end_line?)
        replace_content(relative_path, needle, repl, kind, allow_multiple_occurrences?)
        create_text_file(relative_path, content)""",
    "kimi-cli": """
        ReadFile(path, line_offset?, n_lines?)
        StrReplaceFile(path, edit)
        WriteFile(path, content)""",
    "camel-ai": """
        read_file(file_paths)
        edit_file(file_path, old_content, new_content)
        write_to_file(title, content, filename)""",
    "gemini-cli": """
        read_file(file_path, start_line?, end_line?)
        replace(file_path, instruction, old_string, new_string, allow_multiple?)
        write_file(file_path, content)""",
    "opencode": """
        read(filePath, offset?, limit?)
        edit(filePath, oldString, newString, replaceAll?)
        write(filePath, content)""",
    "copilot": """
        view(path, view_range?)
        edit(path, old_str, new_str)
        create(path, file_text)""",
    "of an editor": """
        read_file(filePath, startLine, endLine)
        replace_string_in_file(filePath, oldString, newString)
        create_file(filePath, content)""",
    "of a project": """
        get_file_text_by_path(pathInProject, maxLinesCount?)
        replace_text_in_file(pathInProject, oldText, newText, replaceAll?)
        create_new_file(pathInProject, text)""",
    "of files in Go": """
        read_file(path)
        modify_file(path, find, replace, all_occurrences?)
        write_file(path, content)""",
    "of patches": """
        read_file(file_path, offset?, limit?)
        patch_file(file_path, search_string, replacement_string)
        put_file(file_path, file_content)""",
    "of hashes": """
        read_file(path)
        edit_file(path, old, new, expected_hash)
        write_file(path, content, expected_hash)""",
}
"""The tools of some published servers and of a typical new server, by the name of the server."""


@rows(("name", "tools"), [*SERVERS.items()])
def test_the_tools_of_known_servers_are_recognised(name: str, tools: str) -> None:
    offered = parse_tools(tools)
    guessed = guess_calls([LISTS, *offered])
    assert [guessed[each].call for each in ("Read", "Edit", "Write")] == [each.name for each in offered], name
    unknown = {each for guess in guessed.values() for each in guess.unknown}
    assert unknown == ({"kind"} if name == "serena-agent" else set()), name


@rows(
    ("name", "arguments", "replace_all"),
    [
        ("of a newcomer", {"path": "$file_path", "find": "$old_string", "replace_with": "$new_string"},
         {"flag": "every"}),
        ("desktop-commander", {}, {"count": "expected_replacements"}),
        ("kimi-cli", {"path": "$file_path",
                      "edit": {"old": "$old_string", "new": "$new_string", "replace_all": "$replace_all"}}, None),
        ("gemini-cli", {"instruction": "A test."}, {"flag": "allow_multiple"}),
        ("of files in Go", {"path": "$file_path", "find": "$old_string", "replace": "$new_string"},
         {"flag": "all_occurrences"}),
    ],
)  # fmt: skip
def test_how_an_edit_is_called(name: str, arguments: dict[str, Any], replace_all: Any) -> None:
    guess = find_guess("Edit", *parse_tools(SERVERS[name]))
    assert (guess.arguments, guess.replace_all) == (arguments, replace_all)


def test_a_value_of_an_earlier_answer_is_captured() -> None:
    guessed = guess_calls(parse_tools(SERVERS["of hashes"]))
    assert (
        guessed["Edit"].arguments["expected_hash"] == guessed["Write"].arguments["expected_hash"] == "$hash"
    )
    for guess in guessed.values():
        (pattern,) = (re.compile(each) for each in guess.capture.values())
        for said in ('{"hash": "0a1b2c"}', "Hash: 0a1b2c", "[sha256=0a1b2c]"):
            assert [match[1] for match in pattern.finditer(said)] == ["0a1b2c"]
    version = find_guess("Edit", tool("edit", "path", "old", "new", version={"type": "integer"}))
    assert version.arguments["version"] == {"$sum": ["$version"]}


def test_one_tool_with_a_choice_of_commands_is_called_with_the_right_one() -> None:
    choice = {"enum": ["view", "create", "str_replace", "insert", "undo_edit"]}
    editor = tool("text_editor", "path", command=choice, file_text={}, old_str={}, new_str={})
    commands = {name: guess.arguments["command"] for name, guess in guess_calls([editor]).items()}
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
    assert find_guess("Read", *offered).call == chosen


def test_what_nothing_takes_is_unsupported_and_what_nothing_gives_is_named() -> None:
    assert find_guess("Read", tool("read", "path", "offset")).unsupported == ("limit", "pages")
    assert find_guess("Read", tool("read", "path", "offset", "limit")).unsupported == ("pages",)
    assert find_guess("Edit", tool("edit", "path", "old", "new")).replace_all == "unsupported"
    assert find_guess("Edit", tool("edit", "path", "old", "new", all={})).replace_all == {"flag": "all"}
    assert find_guess("Edit", tool("edit", "path", "old", "new", replace_all={})).replace_all is None
    written = find_guess("Write", tool("write", "path", "content", "agent", "session"))
    assert written.unknown == ("agent", "session")


def test_a_tool_without_described_arguments_or_for_notebooks_is_taken_by_its_name() -> None:
    assert find_guess("Read", Tool("read_file", {"type": "object"})) == Guess("Read", "read_file")
    notebooks = guess_calls([tool("NotebookEdit", "notebook_path")])
    assert notebooks == {"NotebookEdit": Guess("NotebookEdit", "NotebookEdit")}


def test_a_tool_that_takes_something_else_is_none() -> None:
    offered = [
        LISTS,
        tool("read_page", "url"),
        tool("edit_profile", "name"),
        tool("create_directory", "path"),
    ]
    assert guess_calls([*offered, tool("get_weather", "place"), tool("write_note", "text")]) == {}


@rows("schema", [{}, {"properties": []}, {"properties": {"path": True}, "required": [5]}])
def test_an_odd_schema_harms_nobody(schema: dict[str, Any]) -> None:
    guess_calls([Tool("read_file", schema), Tool("edit", schema), Tool("", schema)])
