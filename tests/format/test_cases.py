"""Files with several scenarios: tables of cases, which people write, and the corpus, which a program composed."""

import json
import shutil
from pathlib import Path

import pytest

from readfirst.harness.record.syrupy_extension import recording_files
from readfirst.harness.suite.recording_file import with_digest
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.suite.selection import Selection, select
from readfirst.harness.suite.suite import Suite, UnknownScenarioError
from readfirst.harness.suite.transcript import (
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.finding import SuiteError
from tests.small_suites import lint, small_suite

TABLE = """\
# yaml-language-server: $schema=../../schema/cases.schema.json
title: Edit answers as the file allows
requirement: must
tags: [edit]
given:
  files:
    <name>: "alpha\\n"
    other.txt: <other>
steps:
  - Edit: {file_path: $WS/<name>, old_string: <old>, new_string: beta, replace_all: <all>}
    expect:
      error: <error>
      text: "<words> in <name>"
cases:
  refused:
    title: Edit refuses what it does not find
    name: a.txt
    old: gamma
    error: string_not_found
    words: Nothing
  done:
    title: Edit changes what it finds
    requirement: observed
    name: b.txt
    old: alpha
    all: true
    words: Done
    other: {text: "x", mode: "0600"}
"""
THEME = """\
# yaml-language-server: $schema=../../schema/cases.schema.json
requirement: must
cases:
  odd-1:
    title: A Read answers what was recorded
    given:
      files:
        a.txt: "alpha\\n"
    steps:
      - Read: {file_path: $WS/a.txt}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / "corpus/mine").mkdir(parents=True)
    (tmp_path / "corpus/mine/odd.yaml").write_text(THEME)
    return small_suite(tmp_path, {"mine/edits.cases": TABLE})


def test_a_case_is_its_table_with_the_values_of_the_case(suite: Suite) -> None:
    assert suite.ids() == ["mine/done", "mine/odd-1", "mine/refused"]
    refused, done = suite.scenario("mine/refused"), suite.scenario("mine/done")
    (call,) = done.calls()
    assert list(call.arguments.values()) == ["$WS/b.txt", "alpha", "beta", True]
    assert call.expect.recorded is not None
    assert (call.expect.recorded.error, call.expect.recorded.text) == (None, "Done in b.txt")
    assert (done.title, done.requirement, done.tags) == ("Edit changes what it finds", "observed", ("edit",))
    assert list(done.given.files) == ["b.txt", "other.txt"]
    assert "replace_all" not in next(refused.calls()).arguments, "a case without the value has not the key"
    assert list(refused.given.files) == ["a.txt"]
    for each in suite.ids():
        assert suite.heading(each).title == suite.scenario(each, require_expect=False).title


def test_the_restrictions_of_scenario_files_also_apply_to_cases(suite: Suite) -> None:
    """Also tested for a scenario of the corpus. Findings have the line of the case."""
    table = suite.path("mine/done")
    table.write_text(TABLE.replace("name: b.txt", "name: ../b.txt"))
    with pytest.raises(SuiteError) as caught:
        suite.scenario("mine/done")
    assert {each.rule for each in caught.value.findings} == {"unsafe-path", "call-outside-workspace"}
    theme_file = suite.path("mine/odd-1")
    theme_file.write_text(THEME.replace("$WS/a.txt", "/etc/passwd"))
    with pytest.raises(SuiteError) as caught:
        suite.scenario("mine/odd-1")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.position.line) == ("call-outside-workspace", 10)
    table.write_text(TABLE.replace("old: gamma", "old: [gamma]\n    all: 5\n    <name>: x"))
    with pytest.raises(SuiteError, match="cannot be the name of a value"):
        suite.scenario("mine/done")


def test_each_case_of_a_table_must_have_a_value_for_a_placeholder_within_a_text(suite: Suite) -> None:
    table = suite.path("mine/done")
    table.write_text(TABLE.replace("    name: b.txt\n", ""))
    with pytest.raises(SuiteError, match="the case done has no value for <name>, which is a part of a text"):
        suite.scenario("mine/done")
    assert [(each.rule, each.position.line) for each in lint(suite, ["mine/done"])] == [("cases-form", 21)]
    table.write_text(TABLE.replace("    name: b.txt\n", "    nmae: b.txt\n"))
    by_check = {each.rule: each for each in lint(suite, ["mine/done"])}
    assert by_check["unused-value"].fix == "Did you mean name?"


def test_a_symbolic_link_in_place_of_a_table_of_cases_is_refused(suite: Suite, tmp_path: Path) -> None:
    file = suite.path("mine/done")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SuiteError, match="this is a link"):
        Suite(tmp_path).ids()
    file.unlink()
    shutil.move(tmp_path / "corpus", tmp_path / "else")
    (tmp_path / "corpus").symlink_to(tmp_path / "else")
    with pytest.raises(UnknownScenarioError):
        Suite(tmp_path).scenario("mine/odd-1")


def test_the_path_of_a_table_selects_all_cases_of_the_table(suite: Suite) -> None:
    chosen = Selection(ids=(str(suite.path("mine/done")),))
    assert select(suite, chosen) == ["mine/done", "mine/refused"]


def transcript(text: str, changes: bool = True) -> Transcript:
    """Return a transcript with one answer. With `changes` false, it is a refusal."""
    result = RecordedResult(text, None if changes else "file_not_found", not changes)
    return Transcript((TranscriptStep(("Read",), (result,)),))


def test_the_expectations_of_a_corpus_scenario_come_from_its_recording(suite: Suite) -> None:
    before = suite.scenario("mine/odd-1")
    assert [call.expect.recorded for call in before.calls()] == [None]
    odd_one = {"2.1.7": transcript("seven"), "2.1.40": transcript("gone", changes=False)}
    write_all(recording_files(suite.recordings_root, "mine/odd-1", before.inputs, odd_one))
    (step,) = Suite(suite.root).scenario("mine/odd-1").steps
    assert isinstance(step, ToolCall)
    assert step.expect.recorded is not None
    assert (step.expect.recorded.text, step.expect.recorded.position) == ("seven", step.position)
    recordings = Suite(suite.root).recordings
    assert [scenario_id for scenario_id, _ in recordings.located()] == ["mine/odd-1"]
    assert recordings.recording("mine/odd-1").transcripts == odd_one
    assert [each.rule for each in lint(Suite(suite.root), ["mine/odd-1"])] == []
    file = recordings.path("mine/odd-1")
    assert file == suite.recordings_root / "mine/odd.json"
    written = file.read_bytes()
    sealed = with_digest(json.loads(written.replace(b'"seven"', b"7"))["odd-1"])
    for spoilt, rule in (
        (written.replace(b"seven", b"eight"), "edited-recording"),
        (json.dumps({"odd-1": sealed}).encode(), "broken-recording"),
    ):
        file.write_bytes(spoilt)
        (finding,) = lint(Suite(suite.root), ["mine/odd-1"])
        assert (finding.rule, finding.position.file) == (rule, file)
    file.write_bytes(written)
    suite.path("mine/odd-1").write_text(THEME.replace("alpha", "ALPHA"))
    with pytest.raises(RecordingError, match="before the scenario's files or steps were changed"):
        Suite(suite.root).scenario("mine/odd-1")
    assert [each.rule for each in lint(Suite(suite.root), ["mine/odd-1"])] == ["stale-recording"]


def test_the_recordings_of_all_cases_of_a_table_are_in_one_file(suite: Suite) -> None:
    one, two = (Recording(name, {"2.1.7": transcript(name)}) for name in ("one", "two"))
    recordings = Suite(suite.root).recordings
    file = suite.recordings_root / f"mine/{suite.path('mine/done').stem}.json"
    for scenario_id, recording in (("mine/refused", two), ("mine/done", one)):
        write_all(recordings.written(scenario_id, recording))
    assert list(json.loads(file.read_bytes())) == ["done", "refused"]
    assert [recordings.find(each).recording for each in ("mine/done", "mine/refused")] == [one, two]
    assert recordings.written("mine/done", one) == {file: file.read_bytes()}
    write_all(recordings.written("mine/done", Recording()))
    assert [scenario_id for scenario_id, _ in recordings.located()] == ["mine/refused"]
    file.rename(file.with_name("other.json"))
    found = [each for each in lint(Suite(suite.root)) if each.rule == "orphan-recording"]
    assert [(each.position.file.name, each.fix) for each in found] == [("other.json", f"Move it to {file}.")]
