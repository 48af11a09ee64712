import json
import re
from pathlib import Path

import pytest
import yaml

from readfirst.harness.record.record import find_unrecorded
from readfirst.harness.record.syrupy_extension import recording_files
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.finding import SuiteError
from tests.command_line import Cli
from tests.small_suites import file_bytes

from .made_up import NOT_READ, record_on, record_scenario, refuse_edit, replace_text, write

LEAVE_OUT = ("product", "record", "gate/x", "--leave-out")


def as_table(suite: Suite, answer: str) -> Path:
    """Move the scenario to a table of two cases, whose second step expects `answer`. Return the file."""
    file = suite.path("gate/x")
    value = yaml.safe_load(file.read_bytes())
    steps = [{**value["steps"][0], "expect": "<first>"}, {**value["steps"][1], **yaml.safe_load(answer)}]
    case = {"title": value["title"], "old": "alpha"}
    others = {"y": {"title": "Another case of the same", "old": "delta"}}
    text = json.dumps({**value, "steps": steps}).replace('"old_string": "alpha"', '"old_string": "<old>"')
    head = yaml.safe_dump(json.loads(text), sort_keys=False, width=1000)
    cases = yaml.safe_dump({"cases": {"x": case, **others}}, sort_keys=False, width=1000)
    table = file.with_name("several.cases.yaml")
    table.write_text(f"{head}# what differs\n{cases}", "utf-8")
    file.unlink()
    return table


def test_recording_a_case_changes_only_the_values_of_this_case_in_the_table(suite: Suite) -> None:
    table = as_table(suite, 'expect: {error: <error>, text: "<words>", files: <files>}')
    before = table.read_text("utf-8")
    assert record_scenario(suite, "create", replace_text).status == "created"
    cases = yaml.safe_load(table.read_bytes())["cases"]
    assert cases["x"]["first"] == {"text": "     1→alpha"}
    assert cases["x"]["words"] == "The file $WS/notes.txt has been updated."
    assert cases["x"]["files"] == {"notes.txt": "gamma\n"}
    assert "error" not in cases["x"]
    assert cases["y"] == {"title": "Another case of the same", "old": "delta"}
    assert "# what differs\n" in table.read_text("utf-8")
    assert before.partition("# what")[0] == table.read_text("utf-8").partition("# what")[0]
    assert record_scenario(suite, "check", replace_text).status == "unchanged"
    assert record_scenario(suite, "fix", refuse_edit).status == "fixed"
    case = yaml.safe_load(table.read_bytes())["cases"]["x"]
    assert (case["error"], case["words"], "files" in case) == ("not_read", NOT_READ, False)
    suite.scenario("gate/x")


def test_recording_is_refused_if_a_scenario_file_and_a_case_have_the_same_id(suite: Suite) -> None:
    own = suite.path("gate/x").read_text()
    as_table(suite, 'expect: {error: <error>, text: "<words>", files: <files>}')
    record_scenario(suite, "create", replace_text)
    write(suite.root, own)
    suite = Suite(suite.root)
    before = file_bytes(suite)
    for mode in ("create", "fix", "check"):
        with pytest.raises(SuiteError, match=r"there is another scenario gate/x, in .*x\.yaml"):
            record_scenario(suite, mode, refuse_edit)
    assert file_bytes(suite) == before


def test_recording_a_case_does_not_change_a_text_that_all_cases_share(suite: Suite) -> None:
    table = as_table(suite, "expect: {text: Done.}")
    before = table.read_bytes()
    result = record_scenario(suite, "fix", replace_text)
    assert result.status == "refused"
    assert "step 2 is shared by all cases of this file, so it cannot expect" in result.message
    assert "expect: <answer2>" in result.message
    assert table.read_bytes() == before


def as_corpus_scenario(suite: Suite) -> Path:
    file = suite.path("gate/x")
    value = yaml.safe_load(file.read_bytes())
    theme = suite.root / "corpus" / "gate" / "odd.yaml"
    theme.parent.mkdir(parents=True)
    theme.write_text(yaml.safe_dump({"cases": {"x": value}}, sort_keys=False), "utf-8")
    file.unlink()
    return theme


def test_recording_a_corpus_scenario_does_not_change_the_corpus(suite: Suite) -> None:
    theme = as_corpus_scenario(suite)
    before = theme.read_bytes()
    assert record_scenario(suite, "create", replace_text).status == "created"
    assert record_scenario(suite, "check", replace_text).status == "unchanged"
    assert record_scenario(suite, "check", refuse_edit).status == "differs"
    assert record_scenario(suite, "fix", refuse_edit).status == "fixed"
    assert theme.read_bytes() == before
    _, edit = Suite(suite.root).scenario("gate/x").calls()
    assert edit.expect.recorded is not None
    assert edit.expect.recorded.error == "not_read"


@pytest.mark.parametrize("composed", [False, True], ids=["file", "corpus"])
def test_a_scenario_left_out_is_not_unrecorded(suite: Suite, readfirst: Cli, composed: bool) -> None:
    if composed:
        as_corpus_scenario(suite)
    record_scenario(suite, "create", replace_text)
    wanted = ["gate/x"], [suite.contracts["2.1.40"]]
    leave_out = (*LEAVE_OUT, "It is killed.", "--fixtures", suite.root)
    assert find_unrecorded(Suite(suite.root), *wanted) == {"2.1.40": ["gate/x"]}
    ran = readfirst(*leave_out, "--contract", "2.1.40")
    assert (ran.code, ran.out) == (0, "left out gate/x on 2.1.40\n")
    left = Suite(suite.root).recordings.recording("gate/x")
    assert (left.unrecorded, list(left.transcripts)) == ({"2.1.40": "It is killed."}, ["2.1.7"])
    assert find_unrecorded(Suite(suite.root), *wanted) == {}
    assert suite.recordings.find("gate/x").is_as_written
    again = recording_files(suite.recordings_root, "gate/x", None, {"2.1.40": left.transcripts["2.1.7"]})
    write_all(again)
    assert Suite(suite.root).recordings.recording("gate/x").unrecorded == {}


@pytest.mark.parametrize("spoil", [(b"gamma", b"delta"), (b"steps", b"stops")], ids=["edited", "unreadable"])
def test_only_fix_replaces_a_damaged_file(suite: Suite, readfirst: Cli, spoil: tuple[bytes, bytes]) -> None:
    record_on(suite, "create", {"2.1.7": replace_text, "2.1.40": replace_text})
    path = suite.recordings.path("gate/x")
    path.write_bytes(path.read_bytes().replace(*spoil))
    before = file_bytes(suite)
    ran = readfirst(*LEAVE_OUT, "It is killed.", "--fixtures", suite.root, "--contract", "2.1.87")
    assert ran.code == 4
    assert "run `readfirst product record --fix gate/x`" in ran.err
    for mode in ("create", "check"):
        assert record_scenario(Suite(suite.root), mode, replace_text).status == "differs"
    assert file_bytes(suite) == before
    fixed = record_scenario(Suite(suite.root), "fix", replace_text)
    assert fixed.status == "fixed"
    assert "`readfirst product record --missing` asks them again" in fixed.message
    found = Suite(suite.root).recordings.find("gate/x")
    assert (found.damage, list(found.recording.transcripts)) == ("", ["2.1.7"])
    missing = find_unrecorded(Suite(suite.root), ["gate/x"], [suite.contracts["2.1.40"]])
    assert missing == {"2.1.40": ["gate/x"]}


def test_a_scenario_cannot_be_left_out_on_the_contract_of_its_file(suite: Suite, readfirst: Cli) -> None:
    record_scenario(suite, "create", replace_text)
    before = file_bytes(suite)
    ran = readfirst(*LEAVE_OUT, "It is killed.", "--fixtures", suite.root)
    assert ran.code == 2
    assert "gate/x states what 2.1.7 does" in ran.err
    assert readfirst(*LEAVE_OUT, " ", "--fixtures", suite.root).code == 2
    assert file_bytes(suite) == before


def test_recording_an_invariant_is_refused(suite: Suite, readfirst: Cli) -> None:
    file = suite.location("gate/x").file
    text = re.sub(r"\n +expect: .*", "", file.read_text("utf-8"))
    file.write_text(text.replace("given:", "invariant: true\ngiven:"), "utf-8")
    ran = readfirst("product", "record", "gate/x", "--fixtures", suite.root)
    assert (ran.code, "An invariant has no recording" in ran.err) == (2, True), ran.err
