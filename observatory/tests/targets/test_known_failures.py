"""Known failures of targets: their signatures, and the baselines of the shipped targets."""

from pathlib import Path

import pytest

from readfirst.harness.compare.baseline import GENERATED_REASONS, Baseline, load_baseline
from readfirst.harness.compare.baseline_file import baseline_text
from readfirst.harness.compare.failure_signature import signature
from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status, Verdict
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.targets.catalogue import baseline_path, targets
from tests.rows import rows
from tests.verdicts import verdict

IDS = ("gate/a", "gate/b", "state/c", "state/10")
NOT_READ = Difference(1, 0, "effects", "refused", "refused: not_read", "not refused: done")
FILE = Difference(1, 0, "effects", "file a.txt", "new", "old")
WORDS = Difference(1, 0, "text", "text", "so", "thus")


def make_failure(scenario_id: str, *differences: Difference, level: Level = "reason") -> Verdict:
    lowest = min((difference.level for difference in differences), key=LEVELS.index)
    status: Status = "failed" if LEVELS.index(level) >= LEVELS.index(lowest) else "passed"
    return verdict(scenario_id, status, *differences, fails=lowest, level=level)


def baseline(folder: Path, text: str) -> Baseline:
    file = folder / "known.yaml"
    file.write_text(text)
    return load_baseline(file, IDS, Suite().contracts)


@rows(
    ("difference", "words"),
    [
        (NOT_READ, "effects: not refused, expected not_read"),
        (FILE, "effects: file: content"),
        (
            Difference(0, 0, "effects", "refused", "not refused", "refused: No file $WS/a b.txt on line 12"),
            "effects: refused: No file PATH PATH on line N",
        ),
        (
            Difference(
                0, 0, "effects", "refused", "not refused", "refused: /tmp/x-9/1/h/a: 'x' is gone\nmore"
            ),
            "effects: refused: PATH: '...' is gone",
        ),
        (
            Difference(0, 0, "reason", "error", "not_read", "is_directory"),
            "reason: expected not_read, said is_directory",
        ),
        (
            Difference(0, 0, "reason", "error", "not_read", "no known error: oh"),
            "reason: expected not_read, said something else",
        ),
        (WORDS, "text"),
    ],
)
def test_a_signature_says_why_without_what_varies(difference: Difference, words: str) -> None:
    assert signature(make_failure("gate/a", difference, level="text")) == words


@rows(
    ("expected", "got", "difference_in_words"),
    [
        ("a\r\nb\r\n", "a\nb\n", "line ends"),
        ("x\r\r\n", "x\r\n", "line ends"),
        ("\ufeffa\n", "a\n", "byte order mark"),
        ("a\n", "a", "newline at the end"),
        ("a\r\n", "a\r\n\n", "newline at the end"),
        ("a\nb\n", "a  \nb\t\n", "whitespace at line ends"),
        ("a\nb", "a\nb\ufeff\u00a0", "whitespace at line ends"),
        ("a\n", "\na\n\n\n", "newlines"),
        ("ac\n", "a \nc\n", "whitespace"),
        ("alpha\n", "beta\n", "content"),
    ],
)
def test_a_signature_says_what_two_contents_differ_in(
    expected: str, got: str, difference_in_words: str
) -> None:
    difference = Difference(0, 0, "effects", "file a.txt", expected, got)
    assert signature(make_failure("gate/a", difference)) == f"effects: file: {difference_in_words}"


@rows(
    ("expected", "got", "difference_in_words"),
    [
        ("nothing there", "a regular file: a", "left over"),
        ("a regular file: a", "nothing there", "missing"),
        ("a symbolic link to a", "a regular file: a", "another kind"),
    ],
)
def test_a_signature_says_whether_a_file_is_there(expected: str, got: str, difference_in_words: str) -> None:
    difference = Difference(0, 0, "effects", "path a.txt", expected, got)
    assert signature(make_failure("gate/a", difference)) == f"effects: path: {difference_in_words}"


def test_a_signature_takes_the_lowest_level_that_fails() -> None:
    assert signature(make_failure("gate/a", WORDS, FILE, level="text")) == "effects: file: content"
    assert signature(make_failure("gate/a", FILE, NOT_READ)) == "effects: file: content"
    assert signature(verdict("gate/a", "passed", level="reason")) == ""


def test_a_broken_scenario_has_a_signature_too() -> None:
    broken = Verdict("gate/a", "2.1.7", "text", "error", {}, reason="the server was killed by 9\ndetails")
    assert signature(broken) == "error: the server was killed by N"


@pytest.mark.slow
def test_every_shipped_baseline_can_be_read() -> None:
    suite = Suite(Path(__file__).parents[3] / "fixtures")
    there = 0
    for target in targets():
        file = baseline_path(target)
        if file.exists():
            there += 1
            read = load_baseline(file, suite.ids(), suite.contracts)
            assert read.name == f"target:{target.pinned}"
            unexplained = {
                entry.subject
                for entry in read.accepted.values()
                if entry.level == "safe" and entry.reason in GENERATED_REASONS
            }
            assert unexplained == set()
    assert there


def test_what_scenarios_lack_that_are_run_later_is_added_to_what_the_others_lacked(tmp_path: Path) -> None:
    def make_unsupported(scenario_id: str, *lacks: str) -> Verdict:
        return Verdict(scenario_id, "2.1.7", "reason", "unsupported", {}, lacks=lacks)

    old = baseline(
        tmp_path,
        baseline_text(
            "target:x@1", [make_unsupported("gate/a", "deny"), make_unsupported("gate/b", "Read of *.png")]
        ),
    )
    later = [make_unsupported("state/c", "stop"), make_unsupported("state/10", "Read of *.png")]
    lacking = baseline(tmp_path, baseline_text("target:x@1", later, old, added=True)).lacking
    assert lacking is not None
    assert lacking.unclaimed == {"deny", "stop"}
    assert lacking.unsupported == {"Read of *.png": 2}


def test_only_calls_that_are_ended_in_their_middle_and_races_are_left_to_luck() -> None:
    suite = Suite()
    lucky = {
        "interrupted/edit-stopped",
        "interrupted/write-sigterm-while-writing",
        "at-once/same-file-in-any-order",
    }
    certain = {
        "interrupted/edit-sigterm",
        "interrupted/edit-cut",
        "at-once/two-agents-edit-one-file",
        "gate/edit-unread",
    }
    assert {each for each in lucky | certain if suite.scenario(each).is_nondeterministic} == lucky
