"""Arguments that do not fit: the product's words, for every kind of mistake."""

from __future__ import annotations

import math

import pytest

from readfirst.reference_impl import FileTools

EDIT = {"file_path": "a.txt", "old_string": "a", "new_string": "b"}


@pytest.mark.parametrize(
    ("tool", "arguments", "problems"),
    [
        ("Read", {}, ["The required parameter `file_path` is missing"]),
        ("Read", {"file_path": "a", "offset": "2"}, ["offset number string"]),
        ("Read", {"file_path": "a", "limit": True}, ["limit number boolean"]),
        ("Read", {"file_path": "a", "limit": None}, ["limit number null"]),
        ("Read", {"file_path": "a", "limit": math.inf}, ["limit number number"]),
        ("Write", {"file_path": "a", "content": {}}, ["content string object"]),
        ("Write", {"file_path": "a", "content": ["x"]}, ["content string array"]),
        ("Write", {"file_path": 5, "content": 1.5}, ["file_path string number", "content string number"]),
        ("Edit", {**EDIT, "replace_all": "true"}, ["replace_all boolean string"]),
        (
            "Edit",
            {**EDIT, "foo": 1, "bar": 2},
            ["An unexpected parameter `foo` was provided", "An unexpected parameter `bar` was provided"],
        ),
        (
            "Edit",
            {"foo": 1, "replace_all": 1, "file_path": {}},
            [
                "The required parameter `old_string` is missing",
                "The required parameter `new_string` is missing",
                "An unexpected parameter `foo` was provided",
                "file_path string object",
                "replace_all boolean number",
            ],
        ),
        (
            "NotebookEdit",
            {"notebook_path": "a", "new_source": "b", "cell_id": 5, "edit_mode": "x"},
            ["cell_id string number"],
        ),
    ],
)
def test_all_problems_are_listed_missing_then_unknown_then_wrong_types(tools, tool, arguments, problems):
    lines = []
    for problem in problems:
        words = problem.split(" ")
        if len(words) == 3:
            name, expected, given = words
            problem = f"The parameter `{name}` type is expected as `{expected}` but provided as `{given}`"
        lines.append(problem)
    issues = "issue" if len(lines) == 1 else "issues"
    result = tools.call(tool, arguments)
    assert result.text == f"InputValidationError: {tool} failed due to the following {issues}:\n" + "\n".join(
        lines
    )
    assert (result.is_error, result.error, result.code) == (True, "invalid_arguments", None)


def test_a_value_that_is_no_option_is_answered_in_json(tools):
    arguments = {"notebook_path": "a", "new_source": "b", "edit_mode": "x"}
    assert tools.call("NotebookEdit", arguments).text == (
        'InputValidationError: [\n  {\n    "code": "invalid_value",\n    "values": [\n      "replace",\n'
        '      "insert",\n      "delete"\n    ],\n    "path": [\n      "edit_mode"\n    ],\n'
        '    "message": "Invalid option: expected one of \\"replace\\"|\\"insert\\"|\\"delete\\""\n  }\n]'
    )


@pytest.mark.parametrize("tool", ["Foo", "read", "MultiEdit", ""])
def test_an_unknown_tool_is_refused(tools, tool):
    result = tools.call(tool, {})
    assert (result.text, result.error) == (f"Error: No such tool available: {tool}", "invalid_arguments")


def test_wrong_arguments_change_nothing_and_leave_the_state(tools, put):
    path = put("a.txt", "a\n")
    tools.read("a.txt")
    tools.call("Edit", {**EDIT, "replace_all": "yes"})
    assert path.read_text() == "a\n"
    tools.edit("a.txt", "a", "b")
    assert path.read_text() == "b\n"


def test_the_advertised_schemas_name_what_is_checked(tools):
    for schema in tools.schemas:
        advertised = schema.json_schema()
        result = tools.call(schema.tool, {})
        missing = [f"The required parameter `{name}` is missing" for name in advertised["required"]]
        assert result.text.split("\n")[1:] == missing
        assert advertised["additionalProperties"] is False
        for name, value in advertised["properties"].items():
            wrong = {**dict.fromkeys(advertised["required"], "x"), name: []}
            refused = tools.call(schema.tool, wrong).text
            assert f"`{name}` type is expected as `{value['type']}`" in refused or f'"{name}"' in refused


@pytest.mark.parametrize("value", [10**400, -(10**400), math.nan, -math.inf])
def test_a_number_that_no_double_holds_is_no_number(tools, put, value):
    put("a.txt")
    assert tools.call("Read", {"file_path": "a.txt", "offset": value}).error == "invalid_arguments"


ODD = [
    None,
    True,
    0,
    -1,
    1e300,
    "",
    "\0",
    "\ud800",
    "a" * 5000,
    "a.txt",
    "book.ipynb",
    ".",
    "/",
    [],
    {},
    [{}],
    b"x",
]


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "NotebookEdit"])
def test_odd_values_are_answered_and_never_raise(tools, put, tool):
    put("a.txt", "a\ud83d".encode("utf-8", "surrogatepass"))
    put("book.ipynb", "[" * 700 + "]" * 700)
    names = [
        name for schema in tools.schemas if schema.tool == tool for name in schema.json_schema()["properties"]
    ]
    plain = {"file_path": "a.txt", "notebook_path": "book.ipynb"}
    for name in names:
        for value in ODD:
            arguments = {other: plain.get(other, "x") for other in names if other not in ("offset", "limit")}
            arguments.pop("replace_all", None)
            result = tools.call(tool, {**arguments, name: value})
            assert result.text
            assert result.is_error is (result.error is not None)


@pytest.mark.parametrize(
    ("given", "remarks"),
    [
        ({"path": "$", "content": "a"}, "`path` was read as `file_path`."),
        ({"path": "$", "file_path": "$", "content": "a"}, "`path` repeated `file_path` and was ignored."),
        (
            {"description": None, "command": "create", "file_text": "a", "path": "$"},
            "`path` was read as `file_path`. `file_text` was read as `content`. `description` was ignored. "
            "`command` was ignored.",
        ),
    ],
)
def test_what_a_write_meant_is_done_and_told(tmp_path, given, remarks):
    path = str(tmp_path / "a.txt")
    tools = FileTools("2.1.328", root=tmp_path)
    result = tools.call("Write", {name: path if value == "$" else value for name, value in given.items()})
    assert not result.is_error
    assert result.text.endswith(
        f"\n\nNote: Write's parameters are named `file_path` and `content`. {remarks}"
    )
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "a"


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        ({"path": 5, "content": "a"}, ["missing `file_path`", "unexpected `path`"]),
        ({"path": "b.txt", "file_path": "a.txt", "content": "a"}, ["unexpected `path`"]),
        ({"command": "view", "file_path": "a.txt", "content": "a"}, ["unexpected `command`"]),
        (
            {"file_path": "a.txt", "content": "a", "description": "b", "colour": "red"},
            ["unexpected `description`", "unexpected `colour`"],
        ),
    ],
)
def test_a_write_that_is_still_wrong_is_told_by_the_names_that_were_given(tmp_path, given, problems):
    words = {
        "missing": "The required parameter {} is missing",
        "unexpected": "An unexpected parameter {} was provided",
    }
    result = FileTools("2.1.328", root=tmp_path).call("Write", given)
    assert result.error == "invalid_arguments"
    lines = [words[kind].format(name) for kind, _, name in (each.partition(" ") for each in problems)]
    assert result.text.splitlines()[1:] == lines
    assert not list(tmp_path.iterdir())
