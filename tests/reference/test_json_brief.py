"""Brief words for broken JSON: the first thing that is wrong, without its place."""

import pytest

from readfirst.reference_impl.text.json_errors_v8 import json_problem
from readfirst.reference_impl.text.json_text import JsonError, parse_json
from tests.rows import rows


@rows(
    ("text", "words"),
    [
        ("", "Unexpected EOF"),
        ("[1,]", "Unexpected comma at the end of array expression"),
        ('{"a": 1,}', "Property name must be a string literal"),
        ("{'a': 1}", "Single quotes (') are not allowed in JSON"),
        ('{"a" "b\n"}', "Unterminated string"),
        ('{"a": ]', "Unexpected token ']'"),
        ("[truex]", "Expected ']'"),
        ("{} ?", "Unrecognized token '?'"),
        ('["\\u12"]', '"\\u12"]" is not a valid unicode escape'),
        ('["\\', "Unterminated string"),
        ("[-]", "Invalid number"),
        ("[1.]", "Invalid digits after decimal point"),
        ("[1 2", "Expected ']'"),
        ("null 1", "Unable to parse JSON string"),
    ],
)
def test_the_first_mistake_is_named(text, words):
    assert json_problem(text) == f"JSON Parse error: {words}"
    with pytest.raises(JsonError, match=r"^JSON Parse error: "):
        parse_json(text, brief=True)


@pytest.mark.parametrize("text", ["{}", ' [1, -0.5e+3, "a\\u0041\\n", true, null, {"b": []}] '])
def test_what_is_json_has_nothing_wrong(text):
    with pytest.raises(ValueError, match="is JSON"):
        json_problem(text)
