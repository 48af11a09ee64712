"""Each lint check has a directory of scenarios with findings of this check only."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.lint.check_metadata import check_source
from readfirst.harness.lint.check_recording import notes
from readfirst.harness.lint.linter import lint_suite
from readfirst.harness.suite.recording_file import format_recording
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from tests.small_suites import keep_recording, lint, small_suite

BROKEN = Path(__file__).parent / "broken"
DOCS = Path(__file__).resolve().parents[2] / "docs/format.md"
TABLE = DOCS.read_text("utf-8").partition("\n| check | finds |\n")[2].partition("\n\n")[0]
RULE_IDS = re.findall(r"(?m)^\| `([a-z0-9-]+)` \|", TABLE)


def _too_large(root: Path) -> None:
    path = root / "scenarios/broken/hundred-megabytes.yaml"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)


MADE: dict[str, Callable[[Path], None]] = {"file-too-large": _too_large}
"""Functions that create the directory of a lint check, by its id, because a repository cannot store it."""


def transcript_of(scenario: Scenario) -> Transcript:
    steps = []
    for step in scenario.steps:
        if isinstance(step, ToolCall | ParallelCalls):
            calls = step.calls if isinstance(step, ParallelCalls) else (step,)
            tools = tuple(call.tool for call in calls)
            steps.append(TranscriptStep(tools, tuple(RecordedResult("x") for _ in calls)))
    return Transcript(tuple(steps))


SHARED = ("contracts.yaml", "errors.yaml", "suite.yaml", "tags.yaml")


def _record(suite: Suite) -> None:
    for scenario_id in suite.readable()[0]:
        try:
            scenario = suite.scenario(scenario_id)
        except (SuiteError, LookupError):
            continue
        if suite.recordings.find(scenario_id).data is None or suite.location(scenario_id).case:
            transcripts = {scenario.contract: transcript_of(scenario)}
            keep_recording(suite, scenario_id, Recording(scenario.inputs, transcripts))


def _keep_only_the_default_contract(file: Path) -> None:
    head, *entries = re.split(r"(?m)^(?=  \S)", file.read_text())
    kept = [each for each in entries if each.startswith(("  documented:", "  2.1.7:"))]
    file.write_text("".join([head, *kept]))


def _suite_with_directory_of(rule: str, tmp_path: Path) -> Suite:
    root = tmp_path / rule
    if rule in MADE:
        root.mkdir()
        MADE[rule](root)
    else:
        shutil.copytree(BROKEN / rule, root, symlinks=True)
    (root / "schema").mkdir()
    suite = small_suite(root, shared=SHARED)
    _keep_only_the_default_contract(root / "contracts.yaml")
    if rule == "stale-recording":
        _record_other_steps(suite)
    elif rule != "missing-recording":
        _record(suite)
    if rule == "edited-recording":
        path = suite.recordings.path("broken/by-hand")
        path.write_bytes(path.read_bytes().replace(b'"text": "x"', b'"text": "y"'))
    return suite


def _record_other_steps(suite: Suite) -> None:
    """Write outdated recordings, as if the scenarios had changed afterwards."""
    _record(suite)
    for scenario_id in suite.ids():
        path = suite.recordings.path(scenario_id)
        inputs = suite.scenario(scenario_id).inputs
        path.write_bytes(path.read_bytes().replace(inputs.encode(), b"0123456789abcdef"))


def test_every_lint_check_has_a_directory() -> None:
    assert len(set(RULE_IDS)) == len(RULE_IDS)
    folders = {path.name for path in BROKEN.iterdir() if path.is_dir()}
    assert folders | set(MADE) == set(RULE_IDS)
    assert not folders & set(MADE)


@pytest.mark.parametrize("rule", RULE_IDS)
def test_only_its_lint_check_reports_findings_in_a_directory(rule: str, tmp_path: Path) -> None:
    suite = _suite_with_directory_of(rule, tmp_path)
    findings = lint(suite)
    assert {finding.rule for finding in findings} == {rule}
    for finding in findings:
        _assert_helpful(finding)
    if rule not in PAIRED:
        places = {finding.position.file.stem for finding in findings}
        assert {suite.path(scenario_id).stem for scenario_id in suite.readable()[0]} <= places


PAIRED = frozenset(
    {
        *("duplicate-title", "duplicate-scenario", "misplaced-file", "orphan-recording", "several-of-one-id"),
        *("unknown-evidence", "silent-evidence"),
        *("missing-rule", "unknown-rule", "foreign-rule", "lonely-rule"),
        *("unshown-requirement", "one-sided-rule", "needless-excuse"),
    }
)
"""Checks whose directories also need a correct scenario, claim or rule."""


def _assert_helpful(finding: Finding) -> None:
    """Assert that a finding has an existing position, a message, and advice."""
    file, line, column = finding.position.file, finding.position.line, finding.position.column
    assert os.path.lexists(file)
    if file.is_file() and line > 1:
        lines = file.read_bytes().split(b"\n")
        assert line <= len(lines)
        assert column <= len(lines[line - 1]) + 1
    assert str(finding).startswith(f"{file}:{line}:{column}: ")
    assert f"[{finding.rule}]" in str(finding)
    assert finding.message
    assert not finding.message.endswith(".")
    assert re.search(r"[.?)]$", finding.fix) or finding.fix.startswith("Begin the file with the line")


def test_a_finding_has_the_position_of_the_error(tmp_path: Path) -> None:
    def place(rule: str, slug: str) -> tuple[int, int]:
        suite = _suite_with_directory_of(rule, tmp_path)
        (found,) = lint(suite, [f"broken/{slug}"])
        return found.position.line, found.position.column

    assert place("unknown-key", "content") == (7, 22)
    assert place("schema", "mode-is-a-number") == (7, 28)
    assert place("several-recorded", "both-without") == (12, 9)
    assert place("trailing-spaces", "literal") == (8, 10)


def test_a_suite_without_readable_contracts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "contracts.yaml").write_text("contracts: {}\n")
    with pytest.raises(SuiteError, match=r"contracts\.yaml:1:1: .*lacks the key 'default'"):
        lint(Suite(tmp_path))


def test_an_unreadable_table_of_cases_does_not_hide_other_findings(tmp_path: Path) -> None:
    suite = _suite_with_directory_of("duplicate-key", tmp_path)
    table = suite.scenarios_root / "broken/odd.cases.yaml"
    theme = suite.recordings_root / "broken/odd.json"
    theme.parent.mkdir(parents=True, exist_ok=True)
    others = {str(each) for each in lint(suite) if each.rule == "duplicate-key"}
    assert others
    for file in (table, theme):
        file.write_text('["x"')
        found = lint_suite(Suite(suite.root))
        assert others < {*map(str, found.findings)}
        assert [each.rule for each in found.findings if each.position.file == file] == [
            "yaml-syntax" if file is table else "broken-recording"
        ]
        assert not {"orphan-recording", "lonely-rule"} & {each.rule for each in found.findings}
        assert found.scenarios == len(suite.readable()[0])
        file.unlink()


def test_a_missing_recording_on_one_contract_is_reported_as_a_note(tmp_path: Path) -> None:
    suite = _suite_with_directory_of("misplaced-file", tmp_path)
    shutil.copy(default_root() / "contracts.yaml", suite.root)
    suite = Suite(suite.root)
    (scenario_id,) = suite.ids()
    assert [found.rule for found in lint(suite, [scenario_id])] == []
    first, last = notes(lint_suite(suite, [scenario_id]).unrecorded)
    assert first.startswith(f"note: {scenario_id} has no recording yet for 0.2.126, 1.0.60, ")
    assert " 2.1.7," not in first
    assert "readfirst product record --missing" in last
    assert list(notes(lint_suite(suite, [scenario_id] * 3).unrecorded)) == [first, last]
    assert lint_suite(Suite(), ["gate/edit-after-read", "multi-edit/creates-file"]).unrecorded == {}


def test_findings_about_rules_name_the_rule_and_the_remedy(tmp_path: Path) -> None:
    found = {each.message: each.fix for each in lint(_suite_with_directory_of("unknown-rule", tmp_path))}
    assert found["there is no rule 'missing-file'"] == "Did you mean missing-files?"
    claim = found["the claim missing-files names the rule 'mising-files', which does not exist"]
    assert claim == "Did you mean missing-files?"
    assert "missing-files: Read refuses" in found["there is no rule 'TODO'"]
    assert [each.message for each in lint(_suite_with_directory_of("one-sided-rule", tmp_path))] == [
        "no scenario of the rule missing-files ends with a call of Read that is allowed",
        "no scenario of the rule shown-files ends with a call of Edit that is allowed",
    ]
    (finding,) = check_source("notes.txt", ["notes.txt"], Position(Path("a.yaml"), 1, 1))
    assert finding.fix.endswith(': ["notes.txt, Section"].'), "an unquoted comma"


def test_an_allowed_call_that_is_not_the_last_does_not_count_for_the_check_of_a_rule(tmp_path: Path) -> None:
    suite = _suite_with_directory_of("needless-excuse", tmp_path)
    here, refused = suite.path("broken/here"), "{error: file_not_found, text: File does not exist.}"
    here.write_text(here.read_text() + f"  - Read: {{file_path: $WS/gone.txt}}\n    expect: {refused}\n")
    shutil.rmtree(suite.recordings_root)
    _record(suite)
    assert lint(suite) == []
    rules = suite.root / "rules.yaml"
    rules.write_text(rules.read_text().replace("    always_refused: There is nothing to show.\n", ""))
    assert [finding.rule for finding in lint(Suite(suite.root))] == ["one-sided-rule"]


def test_several_processes_report_the_same_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[lint_suite.__module__], "_MIN_SCENARIOS_PER_PROCESS", 1)
    suite = _suite_with_directory_of("duplicate-title", tmp_path)
    alone = lint_suite(suite)
    assert len(suite.ids()) > 1
    assert alone.findings
    assert lint_suite(suite, jobs=2) == alone


def test_a_recording_on_an_unknown_contract_is_reported_as_an_orphan(tmp_path: Path) -> None:
    suite = _suite_with_directory_of("no-call", tmp_path)
    path = suite.recordings_root / "broken/events-only.json"
    path.write_bytes(format_recording(Recording("", {"9.9.9+odd": Transcript(())}), "events-only"))
    found = [finding for finding in lint(suite) if finding.rule == "orphan-recording"]
    assert ["9.9.9+odd" in finding.message for finding in found] == [True]


def test_lint_checks_the_titles_and_the_sources_of_rules(tmp_path: Path) -> None:
    suite = _suite_with_directory_of("lonely-rule", tmp_path)
    rules = suite.root / "rules.yaml"
    text = rules.read_text().replace("Read shows hidden files", "Read shows the lines of a file")
    text = text.replace('["behaviour-spec.txt, Output Format"]', '["spec.txt, Format", somewhere]', 1)
    rules.write_text(text.replace("title: Read refuses a file", "title: reads. A file", 1))
    found = {finding.rule for finding in lint(Suite(suite.root))}
    assert found == {"lonely-rule", "duplicate-title", "title-style", "source-form", "unknown-document"}
