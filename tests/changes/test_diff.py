import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.diff.cause import group_by_cause
from readfirst.harness.diff.diff import Diff
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import Change, Kind
from readfirst.harness.diff.report import as_text
from readfirst.harness.suite.suite import default_root

from .conftest import Call, CallResult, ParallelGroup, Run, SmallSuite, edit, read, refusal, success

SHOWN = "     1→alpha\n     2→beta\n     3→"
"""The lines of a file as 2.1.7 shows them."""
TABS = "1\talpha\n2\tbeta\n3"

UNREAD = edit({"2.1.7": refusal(), "2.1.228": success(), "2.1.228+gated": refusal()})
LINES = read({"2.1.7": CallResult(SHOWN), "2.1.228": CallResult(TABS)})
ALIKE = edit({"2.1.7": success()})


@pytest.fixture
def full(small: SmallSuite) -> SmallSuite:
    """A small suite with four scenarios. From 2.1.7 to 2.1.228, three of them differ, for two causes."""
    small.scenario("gate/unread", UNREAD)
    small.scenario("reading/lines", LINES)
    small.scenario("reading/more-lines", LINES)
    small.scenario("writing/alike", ALIKE)
    return small


Stream = Callable[..., str]
Damage = Callable[[str], str]


@pytest.fixture
def stream(full: SmallSuite, run: Run, tmp_path: Path) -> Stream:
    """A function that writes the JSON Lines of a run to a new file, and returns its name."""

    def write_stream(target: str, *arguments: str) -> str:
        file = str(tmp_path / f"run-{len([*tmp_path.iterdir()])}.jsonl")
        run("run", target, "--format", "jsonl", "--output", file, *arguments)
        return file

    return write_stream


def test_a_scenario_without_a_result_in_one_contract_is_not_compared(full: SmallSuite, run: Run) -> None:
    full.scenario("gate/told", edit({"2.1.7": refusal()}, refusal()))
    code, printed, _ = run("diff", "documented", "2.1.7")
    assert code == 0
    assert "no difference in 1 scenario" in printed
    assert "not compared: 4 scenarios, because documented says nothing about it" in printed


@pytest.mark.parametrize(
    ("other", "expected", "output", "message"),
    [
        ("documented", 5, "not compared: 4 scenarios", "no scenario has a result on both sides"),
        ("2.1.228 -k nothing-like-it", 5, "", "nothing was selected"),
        ("documentd", 2, "", "Did you mean documented?"),
        ("2.1.329", 2, "", "`claude-code:2.1.329`"),
        ("refrence", 2, "", "neither a contract of this suite, nor a file, nor a connect string"),
        ("missing.jsonl", 2, "", "missing.jsonl"),
    ],
)
@pytest.mark.usefixtures("full")
def test_a_diff_of_nothing_fails(run: Run, other: str, expected: int, output: str, message: str) -> None:
    code, printed, error = run("diff", "2.1.7", *other.split())
    assert (code, bool(printed)) == (expected, bool(output))
    assert output in printed
    assert message in error


def test_a_diff_reports_a_tool_that_one_of_the_contracts_lacks(full: SmallSuite, run: Run) -> None:
    full.contracts("2.1.40", "Edit")
    others = ("2.1.7", "2.1.228", "2.1.228+gated")
    full.record("gate/unread", [UNREAD], others)
    full.record("writing/alike", [ALIKE], others)
    printed = run("diff", "2.1.40", "2.1.228")[1]
    assert "not compared: 2 scenarios, because 2.1.40 has no Edit" in printed


def test_if_there_are_many_reasons_for_not_comparing_scenarios_they_are_summarized() -> None:
    lacks = {"deny": 9, "hooks": 2, "deny, hooks": 2, "Bash, deny": 1, "resume": 3, "rewind": 2, "cut": 1}
    no_tool = dict.fromkeys(("no Bash", "no Edit", "no Read", "no Glob", "no Task"), 1)
    others = {"2.1.7 says nothing about it": 4, **no_tool}
    reasons = {f"the adapter lacks {names}": count for names, count in lacks.items()} | others
    left_out = {why: tuple(map(str, range(count))) for why, count in reasons.items()}
    found = Diff("2.1.7", "mine", 1, (), left_out, (), 0, (), ())
    assert [*as_text(found)][2:] == [
        "not compared: 20 scenarios, because the adapter lacks deny (12), hooks (4), resume (3), rewind (2), "
        "Bash (1) and 1 more",
        "not compared: 4 scenarios, because 2.1.7 says nothing about it",
        *(f"not compared: 1 scenario, because no {tool}" for tool in ("Bash", "Edit", "Glob")),
        "not compared: 2 scenarios, for other reasons (--all lists them)",
    ]
    assert len([*as_text(found, all_=True)][2:]) == len(reasons)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "cut off"),
        (lambda text: text.replace('"call":"Edit"', '"call":1'), "not a readable recording"),
    ],
)
def test_damaged_results_are_refused(run: Run, stream: Stream, damage: Damage, message: str) -> None:
    file = Path(stream("recording:2.1.228", "--contract", "2.1.7"))
    file.write_text(damage(file.read_text()))
    code, printed, error = run("diff", "2.1.7", file)
    assert (code, printed) == (3, "")
    assert message in error


def test_a_stored_run_gives_the_same_diff_as_a_new_run(full: SmallSuite, run: Run, stream: Stream) -> None:
    full.scenario("writing/alike", edit({"2.1.7": success()}), files={"notes.txt": "alpha\r\n"})
    file = stream("reference")
    now, then = run("diff", "2.1.7", "reference"), run("diff", "2.1.7", file)
    assert now.code == 1
    assert now[:2] == then[:2]


def test_a_recorded_run_can_be_compared_with_another_contract_than_its_own(run: Run, stream: Stream) -> None:
    file = stream("reference", "--family", "gate", "--family", "reading")
    code, printed, _ = run("diff", "2.1.228", file)
    assert code == 1
    assert "Edit: applied → refused (not_read)" in printed
    assert "number of a line: “N\\t” → “6N→”" in printed
    assert "not compared: 1 scenario, because reference did not run it" in printed


def test_two_recorded_runs_can_be_compared(run: Run, stream: Stream) -> None:
    one = stream("reference", "--family", "gate")
    other = stream("recording:2.1.228", "--contract", "2.1.7", "--family", "gate")
    assert run("diff", one, one, "--family", "gate")[0] == 0
    code, printed, _ = run("diff", one, other, "--family", "gate")
    assert code == 1
    assert printed.startswith("reference → recording:2.1.228: 1 of 1 scenario differs, 1 cause\n")
    assert "Edit: refused (not_read) → applied" in printed
    again = stream("reference", "--family", "gate")
    printed = run("diff", one, again, "--family", "gate")[1]
    assert printed.startswith(f"{one} → {again}: no difference"), "runs of one target have their files' names"


def test_of_a_run_on_two_contracts_the_compared_contract_is_used(run: Run, stream: Stream) -> None:
    file = stream("recording:2.1.7", "--contract", "2.1.7", "--contract", "2.1.228")
    assert run("diff", "2.1.7", file)[0] == 0
    assert run("diff", "2.1.228", file)[0] == 1
    code, _, error = run("diff", "2.1.40", file)
    assert code == 2
    assert "contains runs on 2.1.7, 2.1.228" in error


def test_an_error_of_a_run_makes_a_diff_incomplete(full: SmallSuite, run: Run, stream: Stream) -> None:
    full.record("gate/unread", [], ["2.1.7"])
    file = stream("recording:2.1.7")
    code, printed, error = run("diff", "2.1.7", file)
    assert code == 3
    assert "not compared: 1 scenario, because recording:2.1.7 broke" in printed
    assert "1 scenarios have no result, so the comparison is incomplete" in error


def test_an_interrupted_run_makes_a_diff_incomplete(run: Run, stream: Stream) -> None:
    file = Path(stream("recording:2.1.7"))
    header, first, *_, footer = file.read_text().splitlines()
    cut = {**json.loads(footer), "interrupted": True, "verdicts": 1, "passed": 1, "exit_code": 130}
    file.write_text("\n".join([header, first, json.dumps(cut)]) + "\n")
    code, printed, _ = run("diff", "2.1.7", str(file))
    assert code == 3
    assert "no difference in 1 scenario" in printed


def test_a_long_answer_of_a_stored_run_is_compared_whole(small: SmallSuite, run: Run, stream: Stream) -> None:
    long = "".join(f"{number:6}→line\n" for number in range(1, 900))
    says = {"2.1.7": CallResult(long), "2.1.228": CallResult(long.replace("→", "\t"))}
    small.scenario("long/text", read(says))
    file = stream("recording:2.1.228", "--contract", "2.1.7")
    assert "number of a line: “6N→” → “6N\\t”" in run("diff", "2.1.7", file, "--family", "long")[1]


def test_new_directories_above_a_file_are_no_difference(small: SmallSuite, run: Run, stream: Stream) -> None:
    made = {"above/new.txt": "new\n"}
    says = {"2.1.7": CallResult("Created.", None, made), "2.1.228": CallResult("Written.", None, made)}
    write = {"file_path": "$WS/above/new.txt", "content": "new\n"}
    small.scenario("creation/new", Call("Write", write, says))
    file = stream("recording:2.1.228", "--contract", "2.1.7")
    causes = json.loads(run("diff", "2.1.7", file, "--family", "creation", "--format", "json")[1])["causes"]
    assert [cause["level"] for cause in causes] == ["text"]


@pytest.mark.slow
@pytest.mark.parametrize("other", ["2.1.228", "run.jsonl"])
def test_two_worker_processes_report_the_same_as_one(run: Run, stream: Stream, other: str) -> None:
    if other == "run.jsonl":
        other = stream("recording:2.1.228", "--contract", "2.1.7")
    alone = run("diff", "2.1.7", other, "-j", "1", "--format", "json")
    assert alone[0] == 1
    assert run("diff", "2.1.7", other, "-j", "2", "--format", "json")[:2] == alone[:2]


@pytest.mark.parametrize(
    ("file", "jobs", "message"),
    [
        ("scenarios/gate/unread.yaml", "1", "unread.yaml"),
        ("recordings/gate/unread.json", "2", "unread.json: not a readable recording"),
    ],
)
def test_a_damaged_suite_is_reported(full: SmallSuite, run: Run, file: str, jobs: str, message: str) -> None:
    (full.root / file).write_text("[")
    code, printed, error = run("diff", "2.1.7", "2.1.228", "-j", jobs)
    assert (code, printed) == (4, "")
    assert message in error


def test_the_json_output_is_complete_and_matches_its_schema(full: SmallSuite, run: Run) -> None:
    later = edit({"2.1.7": success(content="a\n"), "2.1.228": success(content="b\n")})
    full.scenario("gate/twice", UNREAD, later)
    code, printed, _ = run("diff", "2.1.7", "2.1.228", "--format", "json")
    document = json.loads(printed)
    schema = json.loads((default_root() / "schema/diff.schema.json").read_bytes())
    Draft202012Validator(schema).validate(document)
    assert code == 1
    gone = document["causes"][0]
    assert gone["scenarios"] == ["gate/twice", "gate/unread"]
    assert gone["safety"]
    assert gone["since"] == ["2.1.40 to 2.1.228"]
    assert gone["occurrences"][0]["step"] == 1
    assert [each["step"] for each in document["consequences"]] == [2]
    assert document["differing"] == ["gate/twice", "gate/unread", "reading/lines", "reading/more-lines"]
    assert (document["compared"], document["error"], document["left_out"]) == (5, 0, {})


@pytest.mark.usefixtures("full")
def test_the_markdown_output_of_diff_can_be_written_to_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "changes.md"
    assert run("diff", "2.1.7", "2.1.228", "--format", "markdown", "--output", str(file))[:2] == (1, "")
    printed = file.read_text().splitlines()
    assert printed[0] == "# 2.1.7 → 2.1.228"
    assert "## Words" in printed
    cause = "- **safety** Edit: refused (not_read) → applied (1 scenario, between 2.1.40 and 2.1.228)"
    gone = printed.index(cause)
    assert printed[gone + 1].startswith("  - before: `File has not been read yet. Read it first")
    assert printed[gone + 3] == "  - `gate/unread`"


def test_without_the_option_all_three_scenarios_of_a_cause_are_named(small: SmallSuite, run: Run) -> None:
    for number in range(7):
        small.scenario(f"reading/lines-{number}", LINES)
    assert "reading/lines-2 and 4 more" in run("diff", "2.1.7", "2.1.228")[1]
    assert "reading/lines-6" not in run("diff", "2.1.7", "2.1.228")[1]
    assert "reading/lines-6" in run("diff", "2.1.7", "2.1.228", "--all")[1]


def test_without_the_option_all_ten_causes_are_printed(small: SmallSuite, run: Run) -> None:
    for number in range(25):
        letters = "abcdefghijklmnopqrstuvwxyz"[number] * 3
        says = {"2.1.7": CallResult(f"Some {letters}."), "2.1.228": CallResult(f"Other {letters}.")}
        small.scenario(f"reading/words-{number}", read(says))
    printed = run("diff", "2.1.7", "2.1.228")[1]
    assert len(re.findall(r"(?m)^- Read: says “Some ...\.” → “Other ...\.”  \[1 scenario", printed)) == 10
    assert "    - Some" not in printed
    assert "\n15 more causes: --all shows them, with the words of both sides and the scenarios\n" in printed
    assert "“Some zzz" not in printed
    assert "    + Other yyy." in run("diff", "2.1.7", "2.1.228", "--all")[1]
    page = run("diff", "2.1.7", "2.1.228", "--format", "markdown")[1]
    assert "25 more changes of words that one or two scenarios show (--all lists them)" in page


def test_a_cause_with_many_more_scenarios_than_the_other_causes_comes_first() -> None:
    def make_occurrences(kind: Kind, before: str, after: str, count: int) -> list[Occurrence]:
        change = Change("effects", kind, "", before, after, before, after)
        return [Occurrence(change, f"gate/{kind}-{number}", (0, None), "Write") for number in range(count)]

    few = make_occurrences("refusal", "refused (not_read)", "applied", 3)
    causes, _ = group_by_cause([*few, *make_occurrences("mode", "as it was", "0600", 40)])
    assert [each.signature.kind for each in causes] == ["mode", "refusal"]
    causes, _ = group_by_cause([*few, *make_occurrences("mode", "as it was", "0600", 4)])
    assert [each.signature.kind for each in causes] == ["refusal", "mode"]
    said = Change("text", "words", "", "This", "That", "This", "That")
    words = [Occurrence(said, f"gate/words-{number}", (0, None), "Read") for number in range(400)]
    causes, _ = group_by_cause([*words, *few, *make_occurrences("mode", "as it was", "0600", 40)])
    assert [each.signature.kind for each in causes] == ["mode", "refusal", "words"]


def test_texts_stored_as_digests_are_compared_by_using_their_recordings(small: SmallSuite, run: Run) -> None:
    long = "".join(f"{number:6}→line\n" for number in range(1, 600))
    other = long.replace("→", "\t")
    call = read({"2.1.7": CallResult(long), "2.1.228": CallResult(other)})
    small.scenario("reading/long", call)
    file = small.root / "scenarios/reading/long.yaml"
    document = json.loads(file.read_text())
    for clause in document["steps"][0]["expect"]:
        text = clause["text"]
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        clause["text"] = {"sha256": sha256, "starts": text[:20], "ends": text[-20:]}
    file.write_text(json.dumps(document, ensure_ascii=False))
    printed = run("diff", "2.1.7", "2.1.228")[1]
    assert "number of a line: “6N→” → “6N\\t”" in printed
    small.record("reading/long", [call], ["2.1.228"])
    without = run("diff", "2.1.7", "2.1.228")
    assert without[0] == 1
    assert "Read: shows other content" in without[1]


def test_changed_files_of_parallel_calls_follow_from_a_different_call(small: SmallSuite, run: Run) -> None:
    small.scenario("parallel/two", ParallelGroup((UNREAD, LINES)))
    _, output, error = run("diff", "2.1.7", "2.1.228", "--format", "json")
    assert error == ""
    printed = json.loads(output)
    assert [cause["kind"] for cause in printed["causes"]] == ["refusal"]
    assert [each["call"] for each in printed["causes"][0]["occurrences"]] == [1]
    assert [each["call"] for each in printed["consequences"]] == [2, None]


def test_the_page_changes_md_shows_the_printed_output(small: SmallSuite, run: Run) -> None:
    page = (Path(__file__).parents[2] / "docs/changes.md").read_text("utf-8")
    gated = {"2.1.7": refusal(), "2.1.228": success(), "2.1.228+gated": refusal()}
    small.scenario("gate/unread", edit(gated, refusal()))
    for name in ("lines", "more-lines"):
        says = {"2.1.7": CallResult("     1→alpha\n     2→beta"), "2.1.228": CallResult("1\talpha\n2\tbeta")}
        small.scenario(f"reading/{name}", read(says))
    small.scenario("writing/alike", ALIKE)
    shown, _ = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert run("diff", "2.1.7", "2.1.228")[1] == shown
