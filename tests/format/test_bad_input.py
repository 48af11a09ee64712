"""Whatever is in a file, reading it gives a scenario or the documented error, never anything else."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readfirst.harness.lint.check_file import check_expectations, check_source_text
from readfirst.harness.lint.check_metadata import check_wording
from readfirst.harness.lint.scenario_effects import check_content, fingerprint
from readfirst.harness.suite.lint_context import LintContext
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.strict_yaml import load

FILE = Path("fuzz/fuzz.yaml")
SUITE = Suite()
GOOD = (Path(__file__).parent / "broken/unknown-tag/scenarios/broken/typo.yaml").read_bytes()


def read(data: bytes) -> None:
    """Read, check and forget; only SuiteError may come out, and its findings must be complete."""
    findings: tuple[Finding, ...] = ()
    try:
        document = load(data, FILE)
        list(check_source_text(document))
        scenario = scenario_from(document, "fuzz/fuzz", SUITE.contracts)
    except SuiteError as error:
        findings = error.findings
        if not findings:
            raise
    for finding in findings:
        assert finding.position.file == FILE
        assert finding.position.line >= 1
        assert finding.position.column >= 1
        assert finding.message
        assert finding.fix
    if findings:
        return
    assert isinstance(scenario, Scenario)
    case = LintContext(scenario, document, SUITE)
    for check in (check_wording, check_content, check_expectations):
        list(check(case))
    assert len(fingerprint(scenario)) == 64


@given(st.binary(max_size=200))
@example(b"\xff\xfe\x00")
@example(b"? [")
@example(b"%")
@example(b"&a *a")
def test_random_bytes_are_read_or_reported(data: bytes) -> None:
    read(data)


@given(st.text(alphabet="{}[]:,-?&*!|>'\"%@`# \n\tab~0.\\\x85\u2028\ufeff", max_size=60))
def test_random_punctuation_is_read_or_reported(text: str) -> None:
    read(text.encode())


_WORDS = """title requirement must tags given files deny steps Read Edit Write parallel during expect when documented
error text modify touch delete rename chmod symlink mkdir repeat times base64 hardlink directory encoding bom eol mode
mtime sha256 size lines starts ends claude_code read_gate enforced utf-8 latin-1 +2s same 0644 $WS/a .. /a a/b
file_path >=2.1.7 <9"""
WORDS = st.sampled_from(_WORDS.split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | WORDS | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


def spell(value: object) -> str:
    """Write a value as YAML that the strict reader takes (JSON, without surrogate pairs)."""
    match value:
        case None | bool() | int():
            return {None: "null", True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload,no-any-return]
        case str():
            escaped = "".join(
                c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in value
            )
            return f'"{escaped}"'
        case list():
            return f"[{', '.join(map(spell, value))}]"
        case dict():
            return "{" + ", ".join(f"{spell(key)}: {spell(item)}" for key, item in value.items()) + "}"
    raise AssertionError(value)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.dictionaries(WORDS, VALUES, min_size=1, max_size=3), min_size=1, max_size=3), VALUES)
def test_random_steps_of_the_right_words_are_read_or_reported(
    steps: list[dict[str, object]], files: object
) -> None:
    value = {"title": "A title of words", "requirement": "must", "given": {"files": files}, "steps": steps}
    read(spell(value).encode())


@given(st.data())
def test_a_good_file_with_one_part_exchanged_is_read_or_reported(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 20)))
    patch = data.draw(
        st.binary(max_size=8) | st.sampled_from([b"{", b"]", b"\n", b": ", b"- ", b"null", b"[]", b"{}"])
    )
    read(GOOD[:start] + patch + GOOD[end:])
