from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.harness.yaml_io.yaml_writer import emit_mapping
from tests.rows import rows

# Texts that YAML can express: no lone surrogates, and no characters that YAML excludes even as escapes.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NESTED = st.recursive(TEXT, lambda inner: st.dictionaries(TEXT, inner, max_size=3))
MAPPING = st.dictionaries(TEXT, NESTED, max_size=3)


@settings(max_examples=50, deadline=None)
@given(MAPPING, st.integers(0, 6))
def test_written_yaml_is_read_back_exactly(mapping: dict, indent: int) -> None:
    lines = emit_mapping(mapping, indent) or [" " * indent + "{}"]
    data = ("\n".join(lines) + "\n").encode()
    assert load(data, Path("x.yaml")).value == mapping
    assert yaml.safe_load(data.decode()) == mapping


@rows(
    ("text", "written"),
    [
        *(("a\nb\n", r'"a\nb\n"'), ("a\nb\n\n", r'"a\nb\n\n"'), ("a \nb", r'"a \nb"')),
        *(("yes", '"yes"'), ("2026-01-01", '"2026-01-01"'), ("a: b", '"a: b"'), ("No file.", "No file.")),
        *(("a\r\nb", r'"a\r\nb"'), ("a\u00a0b", r'"a\xa0b"'), ("\ufeffa", r'"\ufeffa"')),
    ],
)
def test_a_text_that_yaml_would_change_is_quoted_on_one_line(text: str, written: str) -> None:
    assert emit_mapping({"k": text}, 0) == [f"k: {written}"]


def test_shown_lines_and_long_contents_are_written_as_block_scalars() -> None:
    assert emit_mapping({"k": "     1→alpha\n     2→"}, 0) == ["k: |2-", "       1→alpha", "       2→"]
    assert emit_mapping({"files": {"a.txt": "x\ny\n"}}, 0) == ["files:", '  a.txt: "x\\ny\\n"']
    assert len(emit_mapping({"files": {"a.txt": "x\n" * 60}}, 0)) == 62
