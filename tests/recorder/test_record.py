import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.record.record import find_unrecorded, record
from readfirst.harness.record.replay_samples import ProductReplayResult, StoredReplays
from readfirst.harness.record.restore_whitespace import with_outer_whitespace
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Expectation, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError
from tests.newest import NEWEST
from tests.small_suites import file_bytes, transcript_of_read

from .made_up import (
    GATE,
    NOT_READ,
    Product,
    expectations,
    record_on,
    record_scenario,
    refuse_edit,
    replace_text,
    source,
    write,
)


def test_recording_adds_the_expectations_and_keeps_the_comments_of_the_file(suite: Suite) -> None:
    assert record_scenario(suite, "create", replace_text).status == "created"
    assert expectations(suite) == [
        {"text": "     1→alpha"},
        {"text": "The file $WS/notes.txt has been updated.", "files": {"notes.txt": "gamma\n"}},
    ]
    assert "  # a comment\n" in source(suite)
    shown = Recordings(suite.recordings_root).recording("gate/x").transcripts["2.1.7"].steps[0].results[0]
    reminder = "\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"
    assert (shown.text, shown.after) == ("     1→alpha", reminder)
    suite.scenario("gate/x")


def test_recording_a_scenario_again_changes_no_file(suite: Suite) -> None:
    record_scenario(suite, "create", replace_text)
    before = file_bytes(suite)
    for mode in ("create", "fix", "check"):
        assert record_scenario(suite, mode, replace_text).status == "unchanged"
    assert file_bytes(suite) == before


def test_recording_without_fix_does_not_replace_an_expectation(suite: Suite) -> None:
    record_scenario(suite, "create", replace_text)
    before = file_bytes(suite)
    result = record_scenario(suite, "create", refuse_edit)
    assert result.status == "differs"
    assert "step 2" in result.message
    assert "--fix" in result.message
    assert not result.ok
    assert file_bytes(suite) == before


Edit = Callable[[Path], ToolResult]
MULTI_EDIT = GATE.replace("given:", "contract: 1.0.126\ngiven:").replace("- Edit: {", "- MultiEdit: {")
"""A scenario with a tool that 2.1.7 lacks."""
DOCUMENTED = "    expect:\n      documented: behaviour-spec.txt, State Requirements\n      error: not_read\n"


def fail_as_if_ended(path: Path) -> ToolResult:
    raise RuntimeError("gone")


@pytest.mark.parametrize(
    ("edit", "statuses", "parts"),
    [
        (lambda _: ToolResult(f"It is {time.perf_counter_ns()}"), ["unstable"], ()),
        (lambda _: ToolResult("Out of cheese", True), ["refused"], ("Out of cheese", "errors.yaml")),
        (fail_as_if_ended, ["error"], ("step 2",)),
        (lambda path: ToolResult(f"Working in {path.parents[2]}"), ["refused", "unstable"], ()),
    ],
    ids=["two different answers", "an unknown message", "an error", "a path outside of the workspace"],
)
def test_an_unusable_answer_is_not_recorded(
    suite: Suite, edit: Edit, statuses: list[str], parts: tuple[str, ...]
) -> None:
    before = file_bytes(suite)
    result = record_scenario(suite, "create", edit)
    assert result.status in statuses
    assert all(part in result.message for part in parts)
    assert file_bytes(suite) == before


@pytest.mark.parametrize("names_it", [False, True])
def test_an_unknown_error_message_is_reported_as_soon_as_it_occurs(suite: Suite, names_it: bool) -> None:
    others = [f"gate/y{number}" for number in range(3)]
    for each in others:
        suite.path("gate/x").with_name(f"{each.rpartition('/')[2]}.yaml").write_text(
            GATE.replace("Edit refuses an unread file", f"Edit of {each}").replace("alpha", each[-2:])
        )
    suite = suite.reopened()
    replayed: list[str] = []
    reported: dict[str, int] = {}

    def edit(path: Path) -> ToolResult:
        if path.read_text() == "alpha\n":
            return ToolResult("Out of cheese", True)
        replayed.append(path.read_text())
        return replace_text(path)

    def hear(taken: ProductReplayResult) -> None:
        if "Out of cheese" in taken.message:
            assert "errors.yaml" in taken.message
            if names_it and not reported:
                form = "Cannot create new file - file already exists."
                path = suite.root / "errors.yaml"
                path.write_text(path.read_text().replace(f"- {form}", f"- {form}\n      - Out of cheese"))
            reported.setdefault(taken.scenario_id, len(replayed))

    takes = StoredReplays(suite.root.parent / "takes")
    wanted = {"2.1.7": ["gate/x", *others]}
    found = record(suite, wanted, "create", lambda _: lambda: Product(edit), takes, progress=hear)
    first = "created" if names_it else "refused"
    assert [each.status for each in found] == [first, "created", "created", "created"]
    assert reported == {"gate/x": 0}
    assert replayed


def test_an_interrupted_recording_leaves_all_files_unchanged(suite: Suite) -> None:
    before = file_bytes(suite)

    def interrupt_edit(path: Path) -> ToolResult:
        os.kill(os.getpid(), signal.SIGINT)
        return ToolResult("Done")

    with pytest.raises(KeyboardInterrupt):
        record_scenario(suite, "create", interrupt_edit)
    assert file_bytes(suite) == before


def test_recording_a_scenario_is_unsupported_if_the_contract_lacks_its_tool(suite: Suite) -> None:
    write(suite.root, MULTI_EDIT)
    assert record_scenario(suite, "create", replace_text).status == "unsupported"


def test_an_expectation_with_only_the_start_of_a_text_is_kept(suite: Suite) -> None:
    write(suite.root, GATE + '    expect: {text: {starts: "The file "}, files: {notes.txt: "gamma\\n"}}\n')
    assert record_scenario(suite, "create", replace_text).status == "created"
    assert expectations(suite)[1]["text"] == {"starts": "The file "}


def test_the_digest_in_a_documented_clause_is_not_reused_in_the_recorded_clause(suite: Suite) -> None:
    hole = '      text: {lines: 1, starts: "The file", ends: "."}\n      files: {notes.txt: "gamma\\n"}\n'
    write(suite.root, GATE + DOCUMENTED.replace("      error: not_read\n", "") + hole)
    assert record_scenario(suite, "create", replace_text).status == "created"
    documented, record_on = expectations(suite)[1]
    assert set(documented["text"]) == {"lines", "starts", "ends"}
    assert record_on["text"] == "The file $WS/notes.txt has been updated."


def test_recording_another_contract_does_not_change_the_scenario_file(suite: Suite) -> None:
    record_scenario(suite, "create", replace_text)
    before = source(suite)
    assert record_on(suite, "create", {"2.1.328": refuse_edit}).status == "created"
    assert source(suite) == before
    suite = Suite(suite.root)
    other = suite.scenario("gate/x", suite.contracts["2.1.328"]).steps[1]
    assert isinstance(other, ToolCall)
    assert other.expect.recorded is not None
    assert (other.expect.recorded.error, other.expect.recorded.text) == ("not_read", NOT_READ)
    assert record_on(suite, "create", {"2.1.328": replace_text}).status == "differs"
    assert record_on(suite, "fix", {"2.1.328": replace_text}).status == "fixed"


def test_recording_changed_steps_removes_the_outdated_recordings_of_other_contracts(suite: Suite) -> None:
    record_on(suite, "create", {"2.1.7": replace_text, "2.1.40": replace_text, "2.1.328": refuse_edit})
    write(suite.root, source(suite).replace("new_string: gamma", "new_string: delta"))
    suite = Suite(suite.root)
    with pytest.raises(RecordingError, match="readfirst product record --fix gate/x"):
        suite.scenario("gate/x", suite.contracts["2.1.328"])
    some = suite.contracts.recorded[5:7]
    assert find_unrecorded(suite, ["gate/x"], some) == {each.name: ["gate/x"] for each in some}
    result = record_scenario(suite, "create", replace_text)
    assert result.status == "created"
    assert "what 2 other contracts did is dropped" in result.message
    assert list(suite.recordings.recording("gate/x").transcripts) == ["2.1.7"]
    assert suite.scenario("gate/x", suite.contracts["2.1.328"]).steps[1].expect == Expectation()  # type: ignore[union-attr]


def test_a_recording_is_missing_only_on_contracts_that_have_the_tools(suite: Suite) -> None:
    contracts = [suite.contracts[name] for name in ("2.1.7", "2.1.40", "2.1.328")]
    everything = {contract.name: ["gate/x"] for contract in contracts}
    assert find_unrecorded(suite, ["gate/x"], contracts) == everything
    record_scenario(suite, "create", replace_text)
    del everything["2.1.7"]
    assert find_unrecorded(suite, ["gate/x"], contracts) == everything
    for without in (MULTI_EDIT, GATE.replace("given:", "invariant: true\ngiven:")):
        write(suite.root, without)
        assert find_unrecorded(Suite(suite.root), ["gate/x"], contracts) == {}


def show_lines(end: str) -> Callable[[Path], ToolResult]:
    return lambda _: ToolResult(f"1\tgamma\n2{end}")


def recorded_texts(suite: Suite) -> dict[str, str]:
    transcripts = suite.recordings.recording("gate/x").transcripts
    return {name: each.steps[1].results[0].text for name, each in transcripts.items()}


def test_stripped_whitespace_is_restored_from_the_equal_answer_of_another_contract(suite: Suite) -> None:
    whole, cut = "1\tgamma\n2\t", "1\tgamma\n2"
    edits = {"2.1.7": show_lines("\t"), "2.1.328": show_lines("\t"), "2.1.328+gated": show_lines("")}
    record_on(suite, "create", edits)
    assert recorded_texts(suite) == dict.fromkeys(edits, whole)
    assert record_on(suite, "check", {"2.1.328+gated": show_lines("")}).status == "unchanged"
    assert record_on(suite, "check", {"2.1.328": show_lines("")}).status == "differs"
    other = {"2.1.7": show_lines("\tb\t"), "2.1.328": show_lines("\tb\t")}
    assert record_on(suite, "fix", {**other, "2.1.328+gated": show_lines("")}).status == "fixed"
    assert recorded_texts(suite)["2.1.328+gated"] == cut, "nobody gave the same answer with whitespace"
    assert record_on(suite, "fix", {"2.1.328": show_lines("\t")}).status == "fixed"
    assert recorded_texts(suite)["2.1.328+gated"] == whole, "now somebody does"


def test_stripped_whitespace_is_restored_from_the_equal_answer_of_an_older_version() -> None:
    whole, cut, other = map(transcript_of_read, ("1\tgamma\n2\t", "1\tgamma\n2", "1\tb\n2\t"))
    given = {"2.1.328": other, "2.1.328+gated": whole, f"{NEWEST}+gated": cut}
    restored = {**given, f"{NEWEST}+gated": whole}
    assert with_outer_whitespace(given, Suite().contracts) == restored


def test_a_file_that_another_program_creates_during_the_call_has_no_recorded_mode(root: Path) -> None:
    during = "\n    during: [modify: {notes.txt: beta}]\n"
    edit = "  - Edit: {file_path: $WS/notes.txt, old_string: '', new_string: gamma}"
    start = GATE.replace('notes.txt: "alpha\\n"', 'other.txt: ""').partition("  - Read")[0]
    write(root, start + edit + during)
    suite = Suite(root)
    assert record_scenario(suite, "create", replace_text).status == "created"
    assert suite.recordings.recording("gate/x").transcripts["2.1.7"].steps[0].changes == {
        "notes.txt": RegularFile(b"gamma\n", mode=None)
    }
