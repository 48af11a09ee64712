"""Recording: what is filled in, what is refused, and that nothing is half done."""

import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.record.record import Mode, Recorded, missing, record
from readfirst.harness.record.replay_samples import Take, Takes
from readfirst.harness.record.restore_whitespace import with_outer_whitespace
from readfirst.harness.record.syrupy_extension import recording_files
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Expectation, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, RecordingError, Transcript, TranscriptStep
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.finding import SuiteError
from tests.command_line import Cli
from tests.newest import NEWEST

GATE = """\
title: Edit refuses an unread file
requirement: must
given:
  files:
    notes.txt: "alpha\\n"
steps:
  # a comment
  - Read: {file_path: $WS/notes.txt}
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
"""

NOT_READ = "File has not been read yet. Read it first before writing to it."


class Product:
    """A made-up product: Read numbers lines, Edit replaces; behaviour per test."""

    capabilities = frozenset({"Read", "Edit", "Write", "during"})

    def __init__(self, edit: Callable[[Path], ToolResult]) -> None:
        self.edit = edit
        self.closed = False

    def open(self, workspace: Workspace) -> "Product":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Read":
            lines = path.read_text().splitlines()
            reminder = "\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"
            return ToolResult("\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, 1)) + reminder)
        return self.edit(path)

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        interfere()
        return self.call(tool, arguments)


def replaced(path: Path) -> ToolResult:
    path.write_text("gamma\n")
    return ToolResult(f"The file {path} has been updated.")


def refused(path: Path) -> ToolResult:
    return ToolResult(f"<tool_use_error>{NOT_READ}</tool_use_error>", True)


@pytest.fixture
def suite(root: Path) -> Suite:
    write(root, GATE)
    return Suite(root)


def write(root: Path, text: str) -> None:
    (root / "scenarios" / "gate" / "x.yaml").write_text(text)


def source(suite: Suite) -> str:
    return suite.path("gate/x").read_text()


def expectations(suite: Suite) -> list[Any]:
    return [step.get("expect") for step in yaml.safe_load(source(suite))["steps"]]


def run(suite: Suite, mode: Mode, edit: Callable[[Path], ToolResult]) -> Recorded:
    return recorded(suite, mode, {"2.1.7": edit})


def recorded(suite: Suite, mode: Mode, edits: Mapping[str, Callable[[Path], ToolResult]]) -> Recorded:
    """Record `gate/x` on several contracts, each with its own way to edit."""
    wanted = {name: ["gate/x"] for name in edits}
    takes = Takes(suite.root.parent / "takes")
    (result,) = record(suite, wanted, mode, lambda each: lambda: Product(edits[each.name]), takes)
    return result


def state(suite: Suite) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in suite.root.rglob("*") if path.is_file()}


def test_create_fills_in_what_is_missing_and_keeps_the_comments(suite: Suite) -> None:
    assert run(suite, "create", replaced).status == "created"
    assert expectations(suite) == [
        {"text": "     1→alpha"},
        {"text": "The file $WS/notes.txt has been updated.", "files": {"notes.txt": "gamma\n"}},
    ]
    assert "  # a comment\n" in source(suite)
    transcript = Recordings(suite.recordings_root).recording("gate/x").transcripts.get("2.1.7")
    assert transcript is not None
    shown = transcript.steps[0].results[0]
    assert (shown.text, shown.after) == (
        "     1→alpha",
        "\n\n<system-reminder>\nBe careful.\n</system-reminder>\n",
    )
    suite.scenario("gate/x")


def test_recording_again_changes_nothing(suite: Suite) -> None:
    run(suite, "create", replaced)
    before = state(suite)
    for mode in ("create", "fix", "check"):
        assert run(suite, mode, replaced).status == "unchanged"
    assert state(suite) == before


def test_create_does_not_replace_what_the_product_contradicts(suite: Suite) -> None:
    run(suite, "create", replaced)
    before = state(suite)
    result = run(suite, "create", refused)
    assert result.status == "differs"
    assert "step 2" in result.message
    assert "--fix" in result.message
    assert not result.ok
    assert state(suite) == before


DOCUMENTED = "    expect:\n      documented: behaviour-spec.txt, State Requirements\n      error: not_read\n"


def test_what_is_documented_is_never_changed_but_split(suite: Suite) -> None:
    write(suite.root, GATE + DOCUMENTED)
    assert run(suite, "create", replaced).status == "created"
    documented, recorded = expectations(suite)[1]
    assert documented == {"documented": "behaviour-spec.txt, State Requirements", "error": "not_read"}
    assert recorded == {"text": "The file $WS/notes.txt has been updated.", "files": {"notes.txt": "gamma\n"}}


def test_two_runs_that_differ_are_not_blessed(suite: Suite) -> None:
    before = state(suite)
    answers = iter("12")
    result = run(suite, "create", lambda path: ToolResult(f"It is {next(answers)} o'clock"))
    assert result.status == "unstable"
    assert state(suite) == before


def test_words_that_the_vocabulary_does_not_know_are_refused(suite: Suite) -> None:
    before = state(suite)
    result = run(suite, "create", lambda path: ToolResult("Out of cheese", True))
    assert result.status == "refused"
    assert "Out of cheese" in result.message
    assert "errors.yaml" in result.message
    assert state(suite) == before


@pytest.mark.parametrize("names_it", [False, True])
def test_unknown_words_are_reported_at_the_first_replay_and_the_others_are_recorded(
    suite: Suite, names_it: bool
) -> None:
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
        return replaced(path)

    def hear(taken: Take) -> None:
        if "Out of cheese" in taken.message:
            assert "errors.yaml" in taken.message
            if names_it and not reported:
                form = "Cannot create new file - file already exists."
                path = suite.root / "errors.yaml"
                path.write_text(path.read_text().replace(f"- {form}", f"- {form}\n      - Out of cheese"))
            reported.setdefault(taken.scenario_id, len(replayed))

    takes = Takes(suite.root.parent / "takes")
    wanted = {"2.1.7": ["gate/x", *others]}
    found = record(suite, wanted, "create", lambda _: lambda: Product(edit), takes, progress=hear)
    first = "created" if names_it else "refused"
    assert [each.status for each in found] == [first, "created", "created", "created"]
    assert reported == {"gate/x": 0}
    assert replayed


def test_a_product_that_breaks_is_not_blessed(suite: Suite) -> None:
    def breaks(path: Path) -> ToolResult:
        raise RuntimeError("gone")

    before = state(suite)
    result = run(suite, "create", breaks)
    assert result.status == "broken"
    assert "step 2" in result.message
    assert state(suite) == before


def test_a_path_outside_the_workspace_in_the_answer_is_not_blessed(suite: Suite) -> None:
    before = state(suite)
    result = run(suite, "create", lambda path: ToolResult(f"Working in {path.parents[2]}"))
    assert result.status in ("refused", "unstable")
    assert state(suite) == before


def test_an_interruption_leaves_the_files_as_they_were(suite: Suite) -> None:
    before = state(suite)

    def interrupted(path: Path) -> ToolResult:
        os.kill(os.getpid(), signal.SIGINT)
        return ToolResult("Done")

    with pytest.raises(KeyboardInterrupt):
        run(suite, "create", interrupted)
    assert state(suite) == before


def test_what_the_product_cannot_do_is_distinguished(suite: Suite) -> None:
    write(
        suite.root, GATE.replace("given:", "contract: 1.0.126\ngiven:").replace("- Edit: {", "- MultiEdit: {")
    )
    assert run(suite, "create", replaced).status == "unsupported"


def test_a_pinned_beginning_is_kept_while_it_holds(suite: Suite) -> None:
    write(
        suite.root,
        GATE + '    expect:\n      text: {starts: "The file "}\n      files: {notes.txt: "gamma\\n"}\n',
    )
    assert run(suite, "create", replaced).status == "created"
    assert expectations(suite)[1]["text"] == {"starts": "The file "}


def test_a_documented_text_with_a_hole_does_not_serve_the_product(suite: Suite) -> None:
    hole = '      text: {lines: 1, starts: "The file", ends: "."}\n      files: {notes.txt: "gamma\\n"}\n'
    write(suite.root, GATE + DOCUMENTED.replace("      error: not_read\n", "") + hole)
    assert run(suite, "create", replaced).status == "created"
    documented, recorded = expectations(suite)[1]
    assert set(documented["text"]) == {"lines", "starts", "ends"}
    assert recorded["text"] == "The file $WS/notes.txt has been updated."


def test_a_contract_that_the_file_does_not_state_is_recorded_and_the_file_left_alone(suite: Suite) -> None:
    run(suite, "create", replaced)
    before = source(suite)
    assert recorded(suite, "create", {"2.1.328": refused}).status == "created"
    assert source(suite) == before
    suite = Suite(suite.root)
    other = suite.scenario("gate/x", suite.contracts["2.1.328"]).steps[1]
    assert isinstance(other, ToolCall)
    assert other.expect.recorded is not None
    assert (other.expect.recorded.error, other.expect.recorded.text) == ("not_read", NOT_READ)
    assert recorded(suite, "create", {"2.1.328": replaced}).status == "differs"
    assert recorded(suite, "fix", {"2.1.328": replaced}).status == "fixed"


def test_changed_steps_drop_what_was_recorded_of_the_others_and_say_so(suite: Suite) -> None:
    recorded(suite, "create", {"2.1.7": replaced, "2.1.40": replaced, "2.1.328": refused})
    write(suite.root, source(suite).replace("new_string: gamma", "new_string: delta"))
    suite = Suite(suite.root)
    with pytest.raises(RecordingError, match="readfirst product record --fix gate/x"):
        suite.scenario("gate/x", suite.contracts["2.1.328"])
    assert missing(suite, ["gate/x"], suite.contracts.recorded[5:7]) == {
        contract.name: ["gate/x"] for contract in suite.contracts.recorded[5:7]
    }
    result = run(suite, "create", replaced)
    assert result.status == "created"
    assert "what 2 other contracts did is dropped" in result.message
    assert list(suite.recordings.recording("gate/x").transcripts) == ["2.1.7"]
    assert suite.scenario("gate/x", suite.contracts["2.1.328"]).steps[1].expect == Expectation()  # type: ignore[union-attr]


def test_what_is_missing_is_what_has_the_tools_and_no_recording(suite: Suite) -> None:
    contracts = [suite.contracts[name] for name in ("2.1.7", "2.1.40", "2.1.328")]
    everything = {contract.name: ["gate/x"] for contract in contracts}
    assert missing(suite, ["gate/x"], contracts) == everything
    run(suite, "create", replaced)
    assert missing(suite, ["gate/x"], contracts) == {name: ["gate/x"] for name in ("2.1.40", "2.1.328")}
    write(
        suite.root, GATE.replace("given:", "contract: 1.0.126\ngiven:").replace("- Edit: {", "- MultiEdit: {")
    )
    assert missing(Suite(suite.root), ["gate/x"], contracts) == {}
    write(suite.root, GATE.replace("given:", "law: true\ngiven:"))
    assert missing(Suite(suite.root), ["gate/x"], contracts) == {}


def numbered(end: str) -> Callable[[Path], ToolResult]:
    return lambda _: ToolResult(f"1\tgamma\n2{end}")


def texts(suite: Suite) -> dict[str, str]:
    transcripts = suite.recordings.recording("gate/x").transcripts
    return {name: each.steps[1].results[0].text for name, each in transcripts.items()}


def test_outer_whitespace_that_a_reminder_cost_an_older_model_is_that_of_the_same_answer(
    suite: Suite,
) -> None:
    whole, cut = "1\tgamma\n2\t", "1\tgamma\n2"
    edits = {"2.1.7": numbered("\t"), "2.1.328": numbered("\t"), "2.1.328+gated": numbered("")}
    recorded(suite, "create", edits)
    assert texts(suite) == dict.fromkeys(edits, whole)
    assert recorded(suite, "check", {"2.1.328+gated": numbered("")}).status == "unchanged"
    assert recorded(suite, "check", {"2.1.328": numbered("")}).status == "differs"
    other = {"2.1.7": numbered("\tb\t"), "2.1.328": numbered("\tb\t")}
    assert recorded(suite, "fix", {**other, "2.1.328+gated": numbered("")}).status == "fixed"
    assert texts(suite)["2.1.328+gated"] == cut, "nobody gave the same answer with whitespace"
    assert recorded(suite, "fix", {"2.1.328": numbered("\t")}).status == "fixed"
    assert texts(suite)["2.1.328+gated"] == whole, "now somebody does"


def test_outer_whitespace_is_also_that_of_an_older_version_with_an_older_model() -> None:
    def answered(text: str) -> Transcript:
        return Transcript((TranscriptStep(("Read",), (RecordedResult(text),)),))

    whole, cut = answered("1\tgamma\n2\t"), answered("1\tgamma\n2")
    other = answered("1\tb\n2\t")
    given = {"2.1.328": other, "2.1.328+gated": whole, f"{NEWEST}+gated": cut}
    restored = {**given, f"{NEWEST}+gated": whole}
    assert with_outer_whitespace(given, Suite().contracts) == restored


def test_a_file_that_was_made_during_the_call_and_written_over_has_no_mode_of_its_own(root: Path) -> None:
    during = "\n    during: [modify: {notes.txt: beta}]\n"
    edit = "  - Edit: {file_path: $WS/notes.txt, old_string: '', new_string: gamma}"
    write(
        root, GATE.replace('notes.txt: "alpha\\n"', 'other.txt: ""').partition("  - Read")[0] + edit + during
    )
    suite = Suite(root)
    assert run(suite, "create", replaced).status == "created"
    assert suite.recordings.recording("gate/x").transcripts["2.1.7"].steps[0].changes == {
        "notes.txt": RegularFile(b"gamma\n", mode=None)
    }


def as_table(suite: Suite, answer: str) -> Path:
    """Put the scenario into a table of two, whose second step says `answer` for what is expected."""
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


def test_of_a_table_the_values_of_the_case_are_written_and_nothing_else(suite: Suite) -> None:
    table = as_table(suite, 'expect: {error: <error>, text: "<words>", files: <files>}')
    before = table.read_text("utf-8")
    assert run(suite, "create", replaced).status == "created"
    cases = yaml.safe_load(table.read_bytes())["cases"]
    assert cases["x"]["first"] == {"text": "     1→alpha"}
    assert (cases["x"]["words"], cases["x"]["files"]) == (
        "The file $WS/notes.txt has been updated.",
        {"notes.txt": "gamma\n"},
    )
    assert "error" not in cases["x"]
    assert cases["y"] == {"title": "Another case of the same", "old": "delta"}
    assert "# what differs\n" in table.read_text("utf-8")
    assert before.partition("# what")[0] == table.read_text("utf-8").partition("# what")[0]
    assert run(suite, "check", replaced).status == "unchanged"
    assert run(suite, "fix", refused).status == "fixed"
    case = yaml.safe_load(table.read_bytes())["cases"]["x"]
    assert (case["error"], case["words"], "files" in case) == ("not_read", NOT_READ, False)
    suite.scenario("gate/x")


@pytest.mark.parametrize("mode", ["create", "fix", "check"])
def test_a_scenario_that_is_also_a_case_of_a_table_is_refused(suite: Suite, mode: Mode) -> None:
    own = suite.path("gate/x").read_text()
    as_table(suite, 'expect: {error: <error>, text: "<words>", files: <files>}')
    run(suite, "create", replaced)
    write(suite.root, own)
    suite = Suite(suite.root)
    before = state(suite)
    with pytest.raises(SuiteError, match=r"there is another scenario gate/x, in .*x\.yaml"):
        run(suite, mode, refused)
    assert state(suite) == before


def test_what_a_table_says_of_all_its_cases_is_not_changed_for_one(suite: Suite) -> None:
    table = as_table(suite, "expect: {text: Done.}")
    before = table.read_bytes()
    result = run(suite, "fix", replaced)
    assert result.status == "refused"
    assert "step 2 of the table cannot say" in result.message
    assert "expect: <answer2>" in result.message
    assert table.read_bytes() == before


def as_composed(suite: Suite) -> Path:
    """Move the scenario to the corpus."""
    file = suite.path("gate/x")
    value = yaml.safe_load(file.read_bytes())
    theme = suite.root / "corpus" / "gate" / "odd.yaml"
    theme.parent.mkdir(parents=True)
    theme.write_text(yaml.safe_dump({"cases": {"x": value}}, sort_keys=False), "utf-8")
    file.unlink()
    return theme


def test_of_a_composed_scenario_the_recording_alone_is_written(suite: Suite) -> None:
    theme = as_composed(suite)
    before = theme.read_bytes()
    assert run(suite, "create", replaced).status == "created"
    assert run(suite, "check", replaced).status == "unchanged"
    assert run(suite, "check", refused).status == "differs"
    assert run(suite, "fix", refused).status == "fixed"
    assert theme.read_bytes() == before
    (step,) = [step for step in Suite(suite.root).scenario("gate/x").calls() if step.tool == "Edit"]
    assert step.expect.recorded is not None
    assert step.expect.recorded.error == "not_read"


@pytest.mark.parametrize("composed", [False, True], ids=["file", "corpus"])
def test_what_is_left_out_is_not_missing_and_keeps_its_reason_until_it_is_recorded(
    suite: Suite, readfirst: Cli, composed: bool
) -> None:
    if composed:
        as_composed(suite)
    run(suite, "create", replaced)
    wanted = ["gate/x"], [suite.contracts["2.1.40"]]
    leave_out = ("product", "record", "gate/x", "--fixtures", suite.root, "--leave-out", "It is killed.")
    assert missing(Suite(suite.root), *wanted) == {"2.1.40": ["gate/x"]}
    ran = readfirst(*leave_out, "--contract", "2.1.40")
    assert (ran.code, ran.out) == (0, "left out gate/x on 2.1.40\n")
    left = Suite(suite.root).recordings.recording("gate/x")
    assert (left.unrecorded, list(left.transcripts)) == ({"2.1.40": "It is killed."}, ["2.1.7"])
    assert missing(Suite(suite.root), *wanted) == {}
    assert suite.recordings.find("gate/x").is_as_written
    again = recording_files(suite.recordings_root, "gate/x", None, {"2.1.40": left.transcripts["2.1.7"]})
    write_all(again)
    assert Suite(suite.root).recordings.recording("gate/x").unrecorded == {}


def by_hand(data: bytes) -> bytes:
    return data.replace(b"gamma", b"delta")


def unreadable(data: bytes) -> bytes:
    return data.replace(b"steps", b"stops")


@pytest.mark.parametrize("spoil", [by_hand, unreadable])
def test_a_damaged_recording_is_replaced_as_a_whole_and_only_on_demand(
    suite: Suite, readfirst: Cli, spoil: Callable[[bytes], bytes]
) -> None:
    recorded(suite, "create", {"2.1.7": replaced, "2.1.40": replaced})
    path = suite.recordings.path("gate/x")
    path.write_bytes(spoil(path.read_bytes()))
    before = state(suite)
    out = ("product", "record", "gate/x", "--fixtures", suite.root, "--leave-out", "It is killed.")
    ran = readfirst(*out, "--contract", "2.1.87")
    assert ran.code == 4
    assert "run `readfirst product record --fix gate/x`" in ran.err
    for mode in ("create", "check"):
        assert run(Suite(suite.root), mode, replaced).status == "differs"
    assert state(suite) == before
    fixed = run(Suite(suite.root), "fix", replaced)
    assert fixed.status == "fixed"
    assert "`readfirst product record --missing` asks them again" in fixed.message
    found = Suite(suite.root).recordings.find("gate/x")
    assert (found.damage, list(found.recording.transcripts)) == ("", ["2.1.7"])
    assert missing(Suite(suite.root), ["gate/x"], [suite.contracts["2.1.40"]]) == {"2.1.40": ["gate/x"]}


def test_what_a_scenario_states_is_not_left_out(suite: Suite, readfirst: Cli) -> None:
    run(suite, "create", replaced)
    before = state(suite)
    ran = readfirst("product", "record", "gate/x", "--fixtures", suite.root, "--leave-out", "It is killed.")
    assert ran.code == 2
    assert "gate/x states what 2.1.7 does" in ran.err
    assert readfirst("product", "record", "gate/x", "--fixtures", suite.root, "--leave-out", " ").code == 2
    assert state(suite) == before
