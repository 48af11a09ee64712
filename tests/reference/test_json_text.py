"""Scenarios such as notebooks/broken-json-of-many-kinds compare the messages about broken JSON; here are its limits."""

import pytest

from readfirst.reference_impl.text.js_number import number_text
from readfirst.reference_impl.text.json_errors_v8 import json_problem
from readfirst.reference_impl.text.json_text import JsonError, compact_json, indented_json, parse_json
from tests.rows import rows


@rows(
    ("number", "text"),
    [
        *((2, "2"), (2.0, "2"), (-0.0, "0"), (1.5, "1.5"), (-3, "-3"), (1e20, "1" + "0" * 20)),
        *((1e21, "1e+21"), (1.25e22, "1.25e+22"), (0.000001, "0.000001"), (1e-7, "1e-7"), (5e-324, "5e-324")),
        *((12345678901234567890, "12345678901234567000"), (0.1 + 0.2, "0.30000000000000004")),
    ],
)
def test_numbers_are_printed_as_javascript_prints_doubles(number, text):
    assert number_text(number) == text


def test_nested_json_values_are_indented():
    value = {"a": [], "b": {}, "c": [1, {"d": None, "e": True}], "2": "\u00e9\n", "1": "\x7f\ud800"}
    text = '{"1":"\x7f\\ud800","2":"é\\n","a":[],"b":{},"c":[1,{"d":null,"e":true}]}'
    assert compact_json(parse_json(text)) == text
    assert parse_json(indented_json(value)) == value
    assert indented_json([1, [2]], width=2) == "[\n  1,\n  [\n    2\n  ]\n]"


@rows("levels", [400, 900, 5000])
def test_a_json_text_that_is_nested_too_deeply_is_refused(levels):
    with pytest.raises((JsonError, RecursionError), match=r"Unexpected end of JSON input|recursion"):
        parse_json("[" * levels)


@rows("text", ["{}", ' [1, -0.5e+3, "a\\u0041\\n", true, null, {"b": []}] '])
def test_no_error_is_reported_in_valid_json(text):
    with pytest.raises(ValueError, match="is JSON"):
        json_problem(text)
