import math

import pytest


def test_the_schemas_of_the_tools_agree_with_the_checks_of_arguments(tools):
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
def test_a_number_that_is_too_large_for_a_double_is_refused(tools, put, value):
    put("a.txt")
    assert tools.call("Read", {"file_path": "a.txt", "offset": value}).error == "invalid_arguments"


UNUSUAL_VALUES = [
    *(None, True, 0, -1, 1e300, [], {}, [{}], b"x"),
    *("", "\0", "\ud800", "a" * 5000, "a.txt", "book.ipynb", ".", "/"),
]


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "NotebookEdit"])
def test_unusual_argument_values_never_raise_an_exception(tools, put, tool):
    put("a.txt", "a\ud83d".encode("utf-8", "surrogatepass"))
    put("book.ipynb", "[" * 700 + "]" * 700)
    (schema,) = (each for each in tools.schemas if each.tool == tool)
    names = [*schema.json_schema()["properties"]]
    plain = {"file_path": "a.txt", "notebook_path": "book.ipynb"}
    for name in names:
        for value in UNUSUAL_VALUES:
            arguments = {other: plain.get(other, "x") for other in names if other not in ("offset", "limit")}
            arguments.pop("replace_all", None)
            result = tools.call(tool, {**arguments, name: value})
            assert result.text
            assert result.is_error is (result.error is not None)
