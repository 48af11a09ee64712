from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from readfirst.harness.lint.check import LintContext
from readfirst.harness.lint.check_file import check_expectations, check_source_text
from readfirst.harness.lint.check_metadata import check_metadata
from readfirst.harness.lint.scenario_effects import check_effects, fingerprint
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.strict_yaml import load

FILE = Path("fuzz/fuzz.yaml")
SUITE = Suite()
GOOD = (Path(__file__).parent / "broken/unknown-tag/scenarios/broken/typo.yaml").read_bytes()


def read_scenario(data: bytes) -> None:
    """Load a scenario from any bytes. Only SuiteError may be raised, with complete findings."""
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
    for check in (check_metadata, check_effects, check_expectations):
        list(check(case))
    assert len(fingerprint(scenario)) == 64


@given(st.binary(max_size=200))
@example(b"\xff\xfe\x00")
@example(b"? [")
@example(b"%")
@example(b"&a *a")
def test_a_file_of_random_bytes_is_read_or_reported(data: bytes) -> None:
    read_scenario(data)


@given(st.data())
def test_a_valid_file_with_random_changes_is_read_or_reported(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 20)))
    parts = st.sampled_from([b"{", b"]", b"\n", b": ", b"- ", b"null", b"[]", b"{}"])
    patch = data.draw(st.binary(max_size=8) | parts)
    read_scenario(GOOD[:start] + patch + GOOD[end:])
