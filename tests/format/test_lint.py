"""Each rule of lint has a folder of scenarios that break it, and nothing else breaks there."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.finding import Finding, SuiteError
from harness.lint import RULES, lint
from harness.lint.rules import table
from harness.recordings import Recording, Transcript, TranscriptStep, encode
from harness.scenario import ParallelCalls, Scenario, ToolCall
from harness.session import ToolResult
from harness.suite import Suite, default_root

BROKEN = Path(__file__).parent / "broken"
RULE_IDS = [rule.id for rule in RULES]


def _too_large(root: Path) -> None:
    path = root / "scenarios/broken/hundred-megabytes.yaml"
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)


# What cannot be kept in a repository is made here.
MADE: dict[str, Callable[[Path], None]] = {"file-too-large": _too_large}


def transcript_of(scenario: Scenario) -> Transcript:
    steps = []
    for step in scenario.steps:
        if isinstance(step, ToolCall | ParallelCalls):
            calls = step.calls if isinstance(step, ParallelCalls) else (step,)
            named = tuple((call.tool, call.arguments) for call in calls)
            steps.append(TranscriptStep(named, tuple(ToolResult("x") for _ in calls)))
    return Transcript(tuple(steps))


def _record(suite: Suite) -> None:
    for scenario_id in suite.ids():
        try:
            scenario = suite.scenario(scenario_id)
        except (SuiteError, LookupError):
            continue
        path = suite.recordings_root / f"{scenario_id}.json"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encode(Recording({"2.1.7": transcript_of(scenario)})))


def _only_the_default(file: Path) -> None:
    """Leave the contracts `documented` and 2.1.7 in the list."""
    head, *entries = re.split(r"(?m)^(?=  \S)", file.read_text())
    file.write_text(
        head + "".join(each for each in entries if each.startswith(("  documented:", "  2.1.7:")))
    )


def _suite(rule: str, tmp_path: Path) -> Suite:
    root = tmp_path / rule
    if rule in MADE:
        root.mkdir()
        MADE[rule](root)
    else:
        shutil.copytree(BROKEN / rule, root, symlinks=True)
    for name in ("contracts.yaml", "errors.yaml", "tags.yaml"):
        shutil.copy(default_root() / name, root)
    _only_the_default(root / "contracts.yaml")
    suite = Suite(root)
    if rule == "stale-recording":
        _record_other_calls(suite)
    elif rule != "missing-recording":
        _record(suite)
    return suite


def _record_other_calls(suite: Suite) -> None:
    folder = suite.recordings_root / "broken"
    folder.mkdir(parents=True)
    step = TranscriptStep((("Read", {"file_path": "$WS/a.txt", "limit": 1}),), (ToolResult("x"),))
    (folder / "other-call.json").write_bytes(encode(Recording({"2.1.7": Transcript((step,))})))
    whole = transcript_of(suite.scenario("broken/fewer-calls"))
    (folder / "fewer-calls.json").write_bytes(encode(Recording({"2.1.7": Transcript(whole.steps[:1])})))


def test_every_rule_has_a_folder_that_breaks_it_and_no_folder_is_without_a_rule() -> None:
    assert len(set(RULE_IDS)) == len(RULE_IDS)
    folders = {path.name for path in BROKEN.iterdir() if path.is_dir()}
    assert folders | set(MADE) == set(RULE_IDS)
    assert not folders & set(MADE)


@pytest.mark.parametrize("rule", RULE_IDS)
def test_what_breaks_a_rule_is_found_by_that_rule_alone(rule: str, tmp_path: Path) -> None:
    suite = _suite(rule, tmp_path)
    findings = lint(suite)
    assert {finding.rule for finding in findings} == {rule}
    for finding in findings:
        _assert_helpful(finding)
    if rule not in PAIRED:
        places = {finding.position.file.stem for finding in findings}
        assert {Path(scenario_id).name for scenario_id in suite.ids()} <= places


PAIRED = frozenset(
    {
        *("duplicate-title", "duplicate-scenario", "misplaced-file", "orphan-recording"),
        *("unknown-evidence", "silent-evidence"),
    }
)
"""Rules that need a scenario beside the broken one, or beside a claim, which is right itself."""


def _assert_helpful(finding: Finding) -> None:
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


def test_findings_point_at_the_place(tmp_path: Path) -> None:
    def place(rule: str, slug: str) -> tuple[int, int]:
        suite = _suite(rule, tmp_path)
        (found,) = lint(suite, [f"broken/{slug}"])
        return found.position.line, found.position.column

    assert place("duplicate-key", "nested") == (8, 5)
    assert place("unknown-key", "content") == (7, 22)
    assert place("schema", "mode-is-a-number") == (7, 28)
    assert place("symlink-escapes", "relative") == (7, 22)
    assert place("when-overlap", "shared-version") == (13, 9)
    assert place("trailing-blanks", "literal") == (8, 10)


def test_the_whole_suite_keeps_every_rule_of_form() -> None:
    """Recordings and wording have their own place in `readfirst lint`; here nothing may be malformed."""
    stages = {rule.id: rule.stage for rule in RULES}
    suite = Suite()
    malformed = [
        finding for finding in lint(suite) if stages[finding.rule] in ("file", "form", "wording", "content")
    ]
    assert [str(finding) for finding in malformed] == []


def test_ids_limit_what_is_reported_but_not_what_is_compared(tmp_path: Path) -> None:
    suite = _suite("duplicate-title", tmp_path)
    assert lint(suite, ["broken/one"]) == []
    (finding,) = lint(suite, ["broken/two"])
    assert "broken/one" in finding.message


def test_a_good_suite_has_no_findings(tmp_path: Path) -> None:
    root = tmp_path / "good"
    good = root / "scenarios/broken/right.yaml"
    good.parent.mkdir(parents=True)
    shutil.copy(BROKEN / "misplaced-file/scenarios/broken/right.yaml", good)
    for name in ("contracts.yaml", "errors.yaml", "tags.yaml"):
        shutil.copy(default_root() / name, root)
    _only_the_default(root / "contracts.yaml")
    suite = Suite(root)
    _record(suite)
    assert lint(suite) == []


def test_a_suite_without_readable_contracts_is_refused_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "contracts.yaml").write_text("default: x\n")
    with pytest.raises(SuiteError, match=r"contracts\.yaml:1:1: .*lacks the key 'contracts'"):
        lint(Suite(tmp_path))


def test_a_recording_for_an_unknown_contract_is_an_orphan(tmp_path: Path) -> None:
    suite = _suite("no-call", tmp_path)
    path = suite.recordings_root / "broken/events-only.json"
    path.write_bytes(encode(Recording({"9.9.9+odd": Transcript(())})))
    found = [finding for finding in lint(suite) if finding.rule == "orphan-recording"]
    assert ["9.9.9+odd" in finding.message for finding in found] == [True]


def test_the_table_names_every_rule_once() -> None:
    assert [line.split("`")[1] for line in table().splitlines()[2:]] == RULE_IDS


def test_without_a_list_of_tags_any_tag_may_be_used(tmp_path: Path) -> None:
    suite = _suite("unknown-tag", tmp_path)
    (suite.root / "tags.yaml").unlink()
    assert lint(Suite(suite.root)) == []


def test_a_name_that_is_not_utf_8_can_be_reported(tmp_path: Path) -> None:
    suite = _suite("misplaced-file", tmp_path)
    folder = suite.scenarios_root / "broken"
    (folder / "right.yaml").rename(folder / os.fsdecode(b"\xff.yaml"))
    findings = [finding for finding in lint(suite) if finding.rule == "id-style"]
    assert len(findings) == 1
    assert r"\udcff.yaml:2:1: " in str(findings[0])
    str(findings[0]).encode()
