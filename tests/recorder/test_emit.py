from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.harness.yaml_io.yaml_writer import emit_mapping
from tests.rows import rows

# Texts that YAML can express: no lone surrogates, and no characters that YAML excludes even as escapes.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
MAPPING = st.dictionaries(
    TEXT, st.recursive(TEXT, lambda inner: st.dictionaries(TEXT, inner, max_size=3)), max_size=3
)


@settings(max_examples=50)
@given(MAPPING, st.integers(0, 6))
def test_written_yaml_is_read_back_exactly(mapping: dict, indent: int) -> None:
    lines = emit_mapping(mapping, indent) or [" " * indent + "{}"]
    data = ("\n".join(lines) + "\n").encode()
    assert load(data, Path("x.yaml")).value == mapping
    assert yaml.safe_load(data.decode()) == mapping


@rows(
    ("text", "lines"),
    [
        ("     1→alpha\n     2→", ["k: |2-", "       1→alpha", "       2→"]),
        ("a\nb\n", ['k: "a\\nb\\n"']),
        ("a\nb\n\n", ['k: "a\\nb\\n\\n"']),
        ("File does not exist.", ["k: File does not exist."]),
        ("yes", ['k: "yes"']),
        ("2026-01-01", ['k: "2026-01-01"']),
        ("a: b", ['k: "a: b"']),
        ("a\r\nb", ['k: "a\\r\\nb"']),
        ("a \nb", ['k: "a \\nb"']),
        ("a\u00a0b", ['k: "a\\xa0b"']),
        ("\ufeffa", ['k: "\\ufeffa"']),
    ],
)
def test_a_text_is_written_as_a_block_scalar_only_if_it_is_read_back_exactly(
    text: str, lines: list[str]
) -> None:
    assert emit_mapping({"k": text}, 0) == lines


def test_short_contents_of_files_stay_on_one_line() -> None:
    assert emit_mapping({"files": {"a.txt": "x\ny\n"}}, 0) == ["files:", '  a.txt: "x\\ny\\n"']
    assert len(emit_mapping({"files": {"a.txt": "x\n" * 60}}, 0)) == 62
