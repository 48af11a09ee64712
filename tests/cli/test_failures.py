import random
import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Level, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report import Commands
from readfirst.harness.report.failure import brief_lines, failure_text, format_position, short_path
from readfirst.harness.report.table import BRIEF, TableReport
from readfirst.harness.run.next_commands import grouping_line
from readfirst.harness.run.run_command import RunRequest
from readfirst.harness.suite.harm_kinds import Kind
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario_metadata import Requirement
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io.finding import Position
from tests.command_line import Cli
from tests.verdicts import rule, rules_of, verdict, write_report_of

from .conftest import MakeSuite
from .test_reports import facts

GO_ON = Commands("readfirst run mine", "readfirst show")
FILE = Difference(0, 0, "effects", "file notes.txt", "alpha\n", "gamma\n")
ALLOWED = Difference(0, 0, "effects", "refused", "refused: not_read", "not refused: done")
REFUSED = Difference(0, 0, "effects", "refused", "not refused", "refused: no")
REASON = Difference(0, 0, "reason", "error", "not_read", "file_not_found")
TEXT = Difference(0, 0, "text", "text", "done", "Done.")


def make_failure(
    scenario_id: str,
    *differences: Difference,
    requirement: Requirement | None = "must",
    length: int = 2,
    level: Level = "text",
    harm: Kind | None = None,
) -> Verdict:
    """Return a failed verdict. `length` is the number of steps of the scenario."""
    harms = () if harm is None else (Harm(0, 0, harm, "notes.txt", "notes.txt"),)
    fails: Level | None = None if harm in (None, "blind") else "safe"
    about = {"requirement": requirement, "length": length, "harms": harms, "level": level}
    return verdict(scenario_id, "failed", *differences, fails=fails, **about)


def make_broken(scenario_id: str, requirement: Requirement = "must") -> Verdict:
    return verdict(scenario_id, "error", reason="it hung", requirement=requirement, length=2)


WORST_FIRST = [
    make_failure("z/one-step", FILE, TEXT, length=1, harm="lost"),
    make_failure("y/writes-what-it-must-not", FILE, TEXT, harm="lost"),
    make_failure("x/leaves-a-copy", FILE, harm="stray"),
    make_broken("w/hangs"),
    make_failure("u/conduct", FILE, requirement="should", harm="lost"),
    make_broken("t/hangs-on-a-quirk", "observed"),
    make_failure("v/refuses-without-need", REFUSED, FILE, TEXT, harm="overcautious"),
    make_failure("s/edits-unread", ALLOWED, harm="blind"),
    make_failure("r/refuses-as-others-do", REFUSED),
    make_failure("q/quirk", REFUSED, FILE, requirement="observed"),
    make_failure("p/another-reason", REASON, TEXT),
    make_failure("o/another-reason-of-a-quirk", REASON, requirement="observed"),
    make_failure("n/words", TEXT),
    make_failure("m/words-of-a-quirk", TEXT, requirement="observed"),
]
"""Failed verdicts, sorted from the most to the least serious, as a report must print them."""


def print_run(verdicts: list[Verdict], most: int | None, rules: Rules | None = None) -> str:
    """Return the output of a run that explains at most `most` failures, or all if None."""
    about = facts(target="mine", scenarios=len(verdicts), commands=lambda _: GO_ON, rules=rules)
    return write_report_of(
        lambda stream: TableReport(Console(file=stream, width=110), about, most_failures=most),
        [(each, BaselineResult(conformant=False)) for each in verdicts],
    )


@pytest.mark.parametrize("most", [None, 0, 1, 5, 12, 20])
def test_the_worst_failures_are_shown_first_and_the_others_are_counted(most: int | None) -> None:
    text = print_run(random.Random(2).sample(WORST_FIRST, len(WORST_FIRST)), most)
    shown = re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
    assert shown == [each.scenario_id for each in WORST_FIRST][:most]
    rest = len(WORST_FIRST) - len(shown)
    assert (f"[{rest} more failure" in text) == bool(rest)


def test_the_report_of_a_harm_shows_all_line_ends() -> None:
    harm = Difference(0, 0, "safe", "spoiled: notes.txt", "a\r\nb\r\n", "a\nb\n")
    spoiled = replace(make_failure("a/b", FILE, harm="spoiled"), level="safe", differences=(harm,))
    text = print_run([spoiled], 1)
    assert "was    a\\r\\n\n             b\\r\\n\n" in text
    assert "is now a\n             b\\n\n" in text


def test_the_report_of_a_failing_target_has_at_most_forty_lines() -> None:
    rules = rules_of(*(rule(f"r{number:02}", CLASSES[number % 4]) for number in range(80)))
    many = [
        replace(make_failure(f"a/{number:03}", FILE, REFUSED, TEXT, harm="lost"), rule=f"r{number % 80:02}")
        for number in range(400)
    ]
    refused = verdict("a/lacks", "unsupported", reason="the adapter lacks Windows", rule="r01")
    assert len(print_run([*many, refused], BRIEF, rules).splitlines()) <= 40
    assert len(print_run(many, 3, rules).splitlines()) > 40
    # The requested number of failures is explained even if all belong to one rule.
    of_one_rule = [replace(make_failure(f"a/{number}", FILE), rule="r00") for number in range(9)]
    assert len(re.findall(r"^FAILED a/\d", print_run(of_one_rule, 5, rules), re.MULTILINE)) == 5


def test_the_brief_text_of_a_failure_contains_its_differences_and_omits_the_given_files() -> None:
    def lines(*styles: str) -> list[tuple[str, str]]:
        return [(style, f"{style} {number}") for number, style in enumerate(styles)]

    last = lines("note", "note", "note")
    found = [*lines("title", "note", "note", "step", "got"), *last]
    assert brief_lines(found, 8) == found
    assert brief_lines(found, 6) == [found[0], found[3], found[4], *last]
    assert brief_lines(found, 5) == [found[0], ("note", "    [2 lines more]"), *last]


def test_the_position_in_a_bundled_file_is_printed_without_the_directory_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = default_root() / "scenarios" / "gate" / "edit-unread.yaml"
    assert format_position(Position(file, 3, 5)) == "fixtures/scenarios/gate/edit-unread.yaml:3:5"
    assert format_position(Position(tmp_path / "mine.yaml", 3, 5)) == "mine.yaml:3:5"


LONG = """\
title: Edit refuses a file that changed
requirement: must
given:
  files:
    notes.txt: "alpha\\nC:\\\\beta\\n"
    big.txt: {repeat: "line {n}\\n", times: 100}
    secret.txt: {text: "x", mode: "0600"}
    link.txt: {symlink: notes.txt}
    sub: {directory: true}
  deny: ["Edit(sub/**)"]
steps:
  - Read: {file_path: $WS/notes.txt}
    expect: {text: "     1→alpha\\n     2→C:\\\\beta\\n     3→"}
  - modify: {notes.txt: "alpha\\nBETA\\n"}
  - rename: {big.txt: large.txt}
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    expect: {error: modified_since_read, text: Changed.}
"""


def test_a_failure_shows_the_given_files_and_the_steps_before_it(make_suite: MakeSuite) -> None:
    long = make_suite({"staleness/long": LONG})
    found = make_failure("staleness/long", Difference(3, 0, "text", "text", "Changed.", "No."), length=4)
    text = failure_text(found, long.scenario("staleness/long"), GO_ON)
    assert text.splitlines()[2:] == [
        '  given notes.txt: "alpha\\nC:\\\\beta\\n"',
        '  given big.txt: "line 1\\nline 2\\nline 3\\nline 4\\nline 5\\nline 6\\nline 7\\nlin [792 bytes]',
        '  given secret.txt (mode 0600): "x"',
        "  given link.txt -> notes.txt",
        "  given [1 more file]",
        "  given deny Edit(sub/**)",
        '  step 1 of 4: Read {file_path: "$WS/notes.txt"}',
        '  step 2 of 4: modify notes.txt, mtime +2s: "alpha\\nBETA\\n"',
        "  step 3 of 4: rename big.txt to large.txt",
        f"  {short_path(long.path('staleness/long'))}:16:5",
        '  step 4 of 4: Edit {file_path: "$WS/notes.txt", old_string: "alpha", new_string: "gamma"}',
        "    text",
        "      expected Changed.",
        "      got      No.",
        "  blame: implementation",
        "  scenario: readfirst show staleness/long",
        "  reproduce: readfirst run mine staleness/long",
    ]


def test_the_output_names_scenario_files_relative_to_the_current_directory(
    readfirst: Cli, mixed: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = mixed.root / "docs"
    below.mkdir()
    monkeypatch.chdir(below)
    for fixtures in ("..", mixed.root):
        ran = readfirst("run", "wrong/text", "--fixtures", fixtures)
        assert "\n  ../scenarios/wrong/text.yaml:7:7\n" in ran.out
        assert "--fixtures .. wrong/text\n" in ran.out
        shown = readfirst("show", "wrong/text", "--fixtures", fixtures).out
        assert "\n  file: ../scenarios/wrong/text.yaml\n" in shown


def test_the_commands_that_a_failure_suggests_work_unchanged(readfirst: Cli, mixed: Suite) -> None:
    ran = readfirst("run", "wrong/text", "--fixtures", mixed.root)
    (show,) = re.findall(r"^  scenario: readfirst (.*)$", ran.out, re.MULTILINE)
    assert show == f"show --contract 2.1.7 --fixtures {short_path(mixed.root)} wrong/text"
    shown = readfirst(*show.split())
    assert shown.code == 0
    assert shown.out.startswith("wrong/text\n  Read is expected to show a carriage return\n")
    (again,) = re.findall(r"^  reproduce: readfirst (.*)$", ran.out, re.MULTILINE)
    assert readfirst(*again.split()).out == ran.out


def test_lost_lines_are_reported_with_the_answer_that_should_have_shown_them() -> None:
    harm = Harm(2, 0, "lost", "notes.txt", "line 4 of notes.txt, which the session was never shown", "delta")
    lost = Difference(2, 0, "safe", harm.line, "delta", "")
    shown = Difference(1, 0, "effects", "shown notes.txt", "lines 1–4", "lines 1–3")
    wrong = [{"step": 2}, {"what": "shown other.txt"}, {"level": "text", "what": "text"}]

    def text(*differences: Difference) -> str:
        found = verdict("a/b", "failed", *differences, lost, fails="safe", level="safe", harms=(harm,))
        return failure_text(found, None, GO_ON)

    said = "\n      the contract's answer to step 2 shows lines 1–4, this implementation's shows lines 1–3\n"
    assert said in text(shown)
    assert "the contract's answer" not in text(*(replace(shown, **parts) for parts in wrong))


def causes(output: str) -> tuple[list[str], list[str]]:
    """Return the arguments of the commands that the last line of a run names: by cause, and by rule."""
    last = output.splitlines()[-1]
    found = re.fullmatch(
        r"\d+ failures on \S+; grouped by cause(?:, with another run \(.*\))?: readfirst ([^;]*)"
        r"(?:; by rule: readfirst (.*))?",
        last,
    )
    assert found, output
    return shlex.split(found[1]), shlex.split(found[2] or "")


def test_a_run_ends_by_naming_the_command_that_groups_its_failures(
    readfirst: Cli, mixed: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = readfirst("run", "--format", "jsonl", "--output", "mine.jsonl", "--fixtures", mixed.root)
    by_cause, by_rule = causes(ran.err)
    assert by_cause[:3] == ["diff", "2.1.7", "mine.jsonl"]
    assert by_rule[:2] == ["report", "mine.jsonl"]
    for code, words in ((1, by_cause), (0, by_rule)):
        grouped = readfirst(*words)
        assert grouped.code == code
        assert "wrong/text" in grouped.out
    # Without JSON Lines, the suggested command is `diff`, which compares with another run.
    ran = readfirst("run", "--fixtures", mixed.root)
    assert "results.jsonl): readfirst diff 2.1.7 reference --fixtures" in ran.err
    compared = readfirst(*causes(ran.err)[0])
    assert compared.code == 1
    assert "wrong/text" in compared.out
    assert "wrong/effects" in compared.out


def test_after_a_run_at_safe_only_the_command_that_groups_failures_by_rule_is_suggested(suite: Suite) -> None:
    request = RunRequest(suite, "mcp:mine", level="safe", format="jsonl", output=Path("safe.jsonl"))
    line = grouping_line(request, Counter({"2.1.7": 3}))
    assert line == "3 failures on 2.1.7; grouped by rule: readfirst report safe.jsonl"
    assert grouping_line(replace(request, output=None), Counter({"2.1.7": 3})) == ""


def test_if_many_steps_precede_a_failure_only_their_number_is_printed(make_suite: MakeSuite) -> None:
    touch = "  - touch: {notes.txt: {mtime: +2s}}\n"
    suite = make_suite({"staleness/long": LONG.replace("  - rename", touch * 9 + "  - rename")})
    found = make_failure("staleness/long", replace(TEXT, step=12))
    text = failure_text(found, suite.scenario("staleness/long"), GO_ON)
    assert "  [6 more steps before]\n  step 7 of 13: touch notes.txt" in text
    assert "step 6 of 13" not in text


def test_parallel_calls_are_printed_on_one_line_and_a_race_on_one_line(make_suite: MakeSuite) -> None:
    read = "Read: {file_path: $WS/notes.txt}, expect: {text: x}"
    steps = f"""\
title: A group and a race
requirement: must
given: {{files: {{notes.txt: "a"}}}}
steps:
  - parallel: [{{{read}}}, {{{read}}}]
  - Edit: {{file_path: $WS/notes.txt, old_string: a, new_string: b}}
    during: [{{modify: {{notes.txt: "c"}}}}]
    expect: {{text: x}}
  - {{{read}}}
"""
    scenario = make_suite({"race/group": steps}).scenario("race/group")
    text = failure_text(make_failure("race/group", replace(TEXT, step=2)), scenario, GO_ON)
    read = 'Read {file_path: "$WS/notes.txt"}'
    assert f"  step 1 of 3: 2 calls in parallel: {read}; {read}\n" in text
    assert ', during: modify notes.txt, mtime +2s: "c"\n' in text
    second = failure_text(make_failure("race/group", replace(TEXT, call=1)), scenario, GO_ON)
    assert f"step 1 of 3: call 2 of 2 in parallel: {read}\n" in second
