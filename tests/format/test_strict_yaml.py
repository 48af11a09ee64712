import json
import os
from pathlib import Path

import pytest
import yaml

from readfirst.harness.yaml_io.finding import Position
from readfirst.harness.yaml_io.strict_yaml import MAX_BYTES, MAX_DEPTH, StrictYamlError, YamlPath, load, read
from tests.rows import rows

FILE = Path("a.yaml")


STRINGS = """no Yes on y 0o7 007 0x1F 12:30 2026-01-01 1_000 +1 .5 5. ~ Null NULL True FALSE NaN .inf 1e --1 01 1.2.3
= １"""
"""Words that YAML parsers may convert to other types, but that are strings here."""


JSON = ("null", "true", "false", "0", "-0", "7", "-12", "1.5", "1e3", "-2.5E-3")


MEANINGS = {**{word: word for word in STRINGS.split()}, **{word: json.loads(word) for word in JSON}}


@rows(("word", "meant"), MEANINGS.items())
def test_only_a_json_scalar_has_another_type_than_string(word: str, meant: object) -> None:
    (got,) = load(f"[{word}]".encode(), FILE).value
    assert (got, type(got)) == (meant, type(meant))


def assert_refused(data: bytes, rule: str, line: int, column: int) -> None:
    """Assert that a file has only this error, at this position."""
    with pytest.raises(StrictYamlError) as caught:
        load(data, FILE)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.position.line, finding.position.column) == (rule, line, column)
    assert finding.message
    assert finding.fix
    assert str(caught.value).startswith(f"a.yaml:{line}:{column}: ")


REFUSED = {
    "duplicate-key": ["a: 1\nb: 2\n§a: 3\n", "a: {b: 1, §b: 2}\n", '"a": 1\n§a: 2\n'],
    "alias": ["a: §&x 1\n", "a: §*x\n", "§*x : 1\n", "§&x a: 1\n", "a: §&x {b: 1}\n", "a: §&x [1]\n"],
    "tag": ["a: §!!str 1\n", "a: §! b\n", "§!!map {a: 1}\n", "§%YAML 1.2\n---\na: 1\n"],
    "non-string-key": [
        "? §{a: b}\n: c\n",
        "?§\n: a\n",
        *map("§{}: a".format, (1, "null", "true", "<<")),
    ],
    "missing-value": ["a:§\n", "- a\n-§\n"],
    "several-documents": ["--- a\n§--- b\n"],
    "empty-file": ["§", "§# only words\n"],
    "number-too-large": ["a: §1e400\n", "a: §" + "9" * 5000],
    "control-character": ["a: b§\0c\n", "ä: é\n  ü§\x1b\n", "a: §\ufffe\n"],
    "yaml-syntax": ["a: [1, 2\nb§: 3", 'a: "b\n§', "a:\n§\tb: 1", "a: b§: c", 'a: "\\u§d83d\\ude00"'],
}
"""Texts that each lint check refuses. The sign § is before the position of the error and is not part of the text."""


@rows(("rule", "text"), [(rule, text) for rule, texts in REFUSED.items() for text in texts])
def test_yaml_beyond_json_is_refused_with_its_position(rule: str, text: str) -> None:
    before, after = text.split("§")
    lines = before.split("\n")
    assert_refused((before + after).encode(), rule, len(lines), len(lines[-1]) + 1)


def test_only_utf_8_without_a_byte_order_mark_is_read() -> None:
    assert_refused("é: ".encode() + b"\xff\n", "not-utf-8", 1, 4)
    assert_refused(b"a: 1\nb: \xed\xa0\x80\n", "not-utf-8", 2, 4)
    assert_refused(b"\xef\xbb\xbfa: 1\n", "not-utf-8", 1, 1)
    assert_refused("a: 1\n".encode("utf-16"), "not-utf-8", 1, 1)


def test_values_nested_deeper_than_the_limit_are_refused() -> None:
    assert load(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, FILE)
    assert_refused(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too-deep", 1, MAX_DEPTH + 1)


def test_a_file_larger_than_one_mebibyte_is_refused() -> None:
    text = b'a: "' + b"x" * (MAX_BYTES - 5) + b'"'
    assert len(load(text, FILE).value["a"]) == MAX_BYTES - 5
    assert_refused(text + b"\n", "file-too-large", 1, 1)


def test_a_yaml_file_that_is_missing_or_a_special_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("pipe.yaml", ".", "missing.yaml"):
        with pytest.raises(StrictYamlError, match=r":1:1: .*\[unreadable\]"):
            read(tmp_path / name)
    with pytest.raises(StrictYamlError, match="NUL"):
        read(tmp_path / "a\0b")


DOCUMENT = b"""\
title: e x
given: {files: {a.txt: "one"}}
steps:
  - Read: {file_path: a}
    expect:
      - text: |
          b
"""


@rows(
    ("path", "key", "line", "column"),
    [
        ((), False, 1, 1),
        (("title",), False, 1, 8),
        (("title",), True, 1, 1),
        (("given", "files", "a.txt"), True, 2, 17),
        (("given", "files", "a.txt"), False, 2, 24),
        (("steps",), False, 4, 3),
        (("steps", 0), False, 4, 5),
        (("steps", 0, "Read", "file_path"), False, 4, 23),
        (("steps", 0, "expect", 0, "text"), True, 6, 9),
        (("steps", 0, "expect", 0, "text"), False, 6, 15),
        (("steps", 7), False, 4, 3),
        (("given", "nothing", "deeper"), True, 2, 8),
        (("title", "below"), False, 1, 8),
    ],
)
def test_every_value_and_key_has_its_position(path: YamlPath, key: bool, line: int, column: int) -> None:
    assert load(DOCUMENT, FILE).position(path, key=key) == Position(FILE, line, column)


def test_scalars_have_their_style_and_their_lines() -> None:
    document = load(b"a: 'x'\nb: |\n  y\n  z\nc: [d, \"e\"]\n", FILE)
    seen = [(s.value, s.style, s.first_line, s.last_line, s.column) for s in document.scalars()]
    assert seen == [
        *(("a", "", 1, 1, 1), ("x", "'", 1, 1, 4), ("b", "", 2, 2, 1), ("y\nz\n", "|", 2, 4, 4)),
        *(("c", "", 5, 5, 1), ("d", "", 5, 5, 5), ("e", '"', 5, 5, 8)),
    ]


@pytest.mark.parametrize("data", [DOCUMENT, b"a: 1\na: 2\n", b"a: *x", b"a: b\0c", b"a: [1\n", b"[" * 9999])
def test_the_parser_without_libyaml_returns_the_same(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome() -> object:
        try:
            return load(data, FILE).value
        except StrictYamlError as error:
            return error.findings[0].rule, error.findings[0].position.line

    fast = outcome()
    monkeypatch.setattr(yaml, "CSafeLoader", yaml.SafeLoader, raising=False)
    assert outcome() == fast
