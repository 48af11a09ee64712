import pytest

from readfirst.reference_impl.text.js_number import number_text
from readfirst.reference_impl.text.json_errors_v8 import json_problem
from readfirst.reference_impl.text.json_text import JsonError, compact_json, indented_json, parse_json
from tests.rows import rows


@rows(
    ("text", "message"),
    [
        ("", "Unexpected end of JSON input"),
        ("[1,", "Unexpected end of JSON input"),
        ('{"a": ', "Unexpected end of JSON input"),
        ("{a: 1}", "Expected property name or '}' in JSON at position 1"),
        ('{"a":1,}', "Expected double-quoted property name in JSON at position 7"),
        ('{"a" 1}', "Expected ':' after property name in JSON at position 5"),
        ('{"a":1,"b" 1}', "Unexpected number in JSON at position 11"),
        ('{"a":1 "b"}', "Expected ',' or '}' after property value in JSON at position 7"),
        ("[1 2]", "Expected ',' or ']' after array element in JSON at position 3"),
        ('"abc', "Unterminated string in JSON at position 4"),
        ('"a\nb"', "Bad control character in string literal in JSON at position 2"),
        (r'"\x"', "Bad escaped character in JSON at position 2"),
        (r'"\u12G4"', "Bad Unicode escape in JSON at position 5"),
        ("-", "No number after minus sign in JSON at position 1"),
        ("1.", "Unterminated fractional number in JSON at position 2"),
        ("1e+", "Exponent part is missing a number in JSON at position 3"),
        ("01", "Unexpected number in JSON at position 1"),
        ("NaN", '"NaN" is not valid JSON'),
        ("tru", "Unexpected end of JSON input"),
        ("trux", "Unexpected token 'x', \"trux\" is not valid JSON"),
        ("{} x", "Unexpected non-whitespace character after JSON at position 3"),
        ("abcdefghijklmnopqrstuvwxyz", "Unexpected token 'a', \"abcdefghij\"... is not valid JSON"),
        ("[          x          ]", "Unexpected token 'x', ...\"          x         \"... is not valid JSON"),
        ("[                   x]", "Unexpected token 'x', ...\"          x]\" is not valid JSON"),
        ("\ufeff{}", "Unexpected token '\ufeff', \"\ufeff{}\" is not valid JSON"),
    ],
)
def test_the_first_error_in_a_json_text_is_reported_with_its_position(text, message):
    with pytest.raises(JsonError) as error:
        parse_json(text)
    assert str(error.value) == message


@rows(
    ("number", "text"),
    [
        (2, "2"),
        (2.0, "2"),
        (-0.0, "0"),
        (1.5, "1.5"),
        (-3, "-3"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.25e22, "1.25e+22"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (12345678901234567890, "12345678901234567000"),
        (5e-324, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"),
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
def test_the_first_error_in_a_json_text_is_reported_with_a_short_message(text, words):
    assert json_problem(text) == f"JSON Parse error: {words}"
    with pytest.raises(JsonError, match=r"^JSON Parse error: "):
        parse_json(text, brief=True)


@pytest.mark.parametrize("text", ["{}", ' [1, -0.5e+3, "a\\u0041\\n", true, null, {"b": []}] '])
def test_no_error_is_reported_in_valid_json(text):
    with pytest.raises(ValueError, match="is JSON"):
        json_problem(text)
