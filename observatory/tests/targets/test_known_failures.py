"""Known failures are grouped by why they fail; one that fails no more, or for another reason, is an error."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from readfirst.harness.compare.baseline import (
    Acceptance,
    Baseline,
    BaselineError,
    apply_baseline,
    load_baseline,
)
from readfirst.harness.compare.baseline_file import baseline_text, first_differences
from readfirst.harness.compare.failure_signature import explains, signature
from readfirst.harness.compare.verdict import LEVELS, Difference, Level, Status, Verdict
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.targets.catalogue import known_failures, targets
from tests.rows import rows
from tests.verdicts import verdict

grouped_text = partial(baseline_text, grouped=True)
IDS = ("gate/a", "gate/b", "state/c", "state/10")
NOT_READ = Difference(1, 0, "effects", "refused", "refused: not_read", "not refused: done")
FILE = Difference(1, 0, "effects", "file a.txt", "new", "old")
WORDS = Difference(1, 0, "text", "text", "so", "thus")
LOST = Difference(1, 0, "safe", "lost: line 2 of a.txt, which somebody else saved", "beta\n", "gamma\n")


def failed(scenario_id: str, *differences: Difference, level: Level = "reason") -> Verdict:
    lowest = min((difference.level for difference in differences), key=LEVELS.index)
    status: Status = "failed" if LEVELS.index(level) >= LEVELS.index(lowest) else "passed"
    return verdict(scenario_id, status, *differences, fails=lowest, level=level)


def passed(scenario_id: str) -> Verdict:
    return verdict(scenario_id, "passed", level="reason")


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
    assert signature(failed("gate/a", difference, level="text")) == words


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
    assert signature(failed("gate/a", difference)) == f"effects: file: {difference_in_words}"


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
    assert signature(failed("gate/a", difference)) == f"effects: path: {difference_in_words}"


def test_a_signature_takes_the_lowest_level_that_fails() -> None:
    assert signature(failed("gate/a", WORDS, FILE, level="text")) == "effects: file: content"
    assert signature(failed("gate/a", FILE, NOT_READ)) == "effects: file: content"
    assert signature(passed("gate/a")) == ""


def test_a_broken_scenario_has_a_signature_too() -> None:
    broken = Verdict("gate/a", "2.1.7", "text", "broken", {}, reason="the server was killed by 9\ndetails")
    assert signature(broken) == "broken: the server was killed by N"


def test_a_failure_for_another_reason_is_an_error(tmp_path: Path) -> None:
    read = baseline(tmp_path, grouped_text("target:x@1", [failed("gate/a", NOT_READ)]))
    ruling = apply_baseline(failed("gate/a", FILE), read)
    assert not ruling.conformant
    assert "now fails for another reason than 'effects: not refused, expected not_read'" in ruling.stale
    assert ruling.stale.endswith("Change the entry to because: 'effects: file: content'")


def test_a_general_reason_accepts_its_details_and_no_other(tmp_path: Path) -> None:
    text = grouped_text("target:x@1", [failed("gate/a", FILE)])
    read = baseline(tmp_path, text.replace('"effects: file: content"', '"effects: file"'))
    assert apply_baseline(failed("gate/a", FILE), read).conformant
    path = Difference(1, 0, "effects", "path a.txt", "nothing there", "a directory")
    assert not apply_baseline(failed("gate/a", path), read).conformant


def test_a_harm_is_named_with_what_it_does_and_keeps_the_reason_that_somebody_wrote(tmp_path: Path) -> None:
    harmful = failed("gate/a", LOST, NOT_READ)
    assert signature(harmful) == "safe: lost: effects: not refused, expected not_read"
    assert signature(replace(harmful, level="safe")) == signature(harmful)
    before = grouped_text("target:x@1", [failed("gate/a", NOT_READ), failed("gate/b", NOT_READ)])
    old = baseline(
        tmp_path, before.replace("It carries out a call that the contract refuses: not_read.", "No guard.")
    )
    assert not apply_baseline(harmful, old).conformant, "harm is one level more than the entry says"
    other = failed("state/c", LOST, FILE)
    read = baseline(tmp_path, grouped_text("target:x@1", [harmful, other], old))
    assert read.accepted["gate/a", "2.1.7"].fails == {"safe", "effects", "reason"}
    assert read.accepted["gate/a", "2.1.7"].reason == "No guard."
    assert apply_baseline(harmful, read).accepted == "No guard."
    assert apply_baseline(replace(harmful, level="safe"), read).accepted == "No guard."
    assert "is a harm. Write as its reason why that is accepted." in apply_baseline(other, read).stale


@rows(
    ("because", "reason", "accepted"),
    [
        ("safe: lost: effects: file: content", "not explained yet", False),
        ("safe: lost: effects: file: content", "The files afterwards are not those of the contract.", False),
        ("safe: lost: effects: refused: no room", "It refuses what the contract does: no room", False),
        ("safe: lost: effects: file: content", "It cuts a file at 64 KiB.", True),
        ("safe: overcautious: effects: refused: no room", "It refuses what the contract does: no room", True),
        ("safe: overcautious: effects: refused: no room", "not explained yet", False),
        (
            "varies",
            "How far an interrupted call gets, and which of two is faster, is a matter of chance.",
            False,
        ),
        ("varies", "Two sessions at once lose each other's work.", True),
        ("effects: file: content", "The files afterwards are not those of the contract.", False),
    ],
)
def test_how_the_effects_differ_is_no_reason_for_a_harm(because: str, reason: str, accepted: bool) -> None:
    assert explains(reason, because) is accepted


def test_a_sentence_that_was_drawn_for_the_effects_is_no_reason_for_the_harm(tmp_path: Path) -> None:
    drawn = baseline(tmp_path, grouped_text("target:x@1", [failed("gate/a", NOT_READ)]))
    harmful = failed("gate/a", LOST, NOT_READ)
    read = baseline(tmp_path, grouped_text("target:x@1", [harmful], drawn))
    assert read.accepted["gate/a", "2.1.7"].reason == "not explained yet"
    lucky = baseline(tmp_path, grouped_text("target:x@1", [harmful], lucky={"gate/a"}))
    assert lucky.accepted["gate/a", "2.1.7"].reason == "not explained yet"
    assert not apply_baseline(harmful, lucky).conformant


@pytest.mark.parametrize("now", [replace(LOST, what="stray: b.txt was made"), NOT_READ])
def test_a_harm_of_another_kind_or_none_is_an_error(tmp_path: Path, now: Difference) -> None:
    text = grouped_text("target:x@1", [failed("gate/a", LOST, NOT_READ)])
    read = baseline(tmp_path, text.replace("not explained yet", "It is a cache."))
    ruling = apply_baseline(failed("gate/a", now, NOT_READ), read)
    assert not ruling.conformant
    assert "Change the entry to" in ruling.stale


@rows(
    ("old", "new", "message"),
    [
        ("fails: [effects, reason]", "fails: [affects]", "cannot be 'affects'"),
        ("because:", "becuase:", "a group has no key 'becuase'"),
        ("      gate: [a]", "      gate: []", "must be a list, not empty"),
        ("      gate: [a]", "      gate: [1]", "must be a string, not a number"),
        ("      gate: [a]", "      gate: [a, a]", "gate/a (2.1.7) is already accepted"),
    ],
)
def test_a_group_that_is_wrong_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = grouped_text("target:x@1", [failed("gate/a", NOT_READ)])
    assert old in text
    with pytest.raises(BaselineError) as error:
        baseline(tmp_path, text.replace(old, new))
    assert message in str(error.value)


def test_reasons_and_links_that_somebody_wrote_are_kept(tmp_path: Path) -> None:
    text = grouped_text("target:x@1", [failed("gate/a", NOT_READ), failed("gate/b", FILE)])
    written = text.replace(
        'reason: "It carries out a call that the contract refuses: not_read."',
        'reason: "By design."\n    link: "https://example.org/1"',
    )
    old = baseline(tmp_path, written)
    again = grouped_text("target:x@1", [failed("gate/a", NOT_READ), failed("state/c", NOT_READ)], old)
    read = baseline(tmp_path, again)
    assert {key[0]: (entry.reason, entry.link) for key, entry in read.accepted.items()} == {
        "gate/a": ("By design.", "https://example.org/1"),
        "state/c": ("By design.", "https://example.org/1"),
        "gate/b": ("The files afterwards are not those of the contract.", ""),
    }


def test_what_a_signature_needs_is_kept() -> None:
    found = failed("gate/a", FILE, NOT_READ, WORDS, level="text")
    assert first_differences(found) == (FILE, WORDS)
    assert signature(replace(found, differences=first_differences(found))) == signature(found)


def test_long_lists_are_wrapped(tmp_path: Path) -> None:
    ids = [f"gate/a-rather-long-name-{number}" for number in range(30)]
    text = grouped_text("target:x@1", [failed(each, FILE) for each in ids])
    assert max(map(len, text.splitlines())) <= 120
    file = tmp_path / "known.yaml"
    file.write_text(text)
    assert len(load_baseline(file, ids, Suite().contracts).accepted) == 30


_FORMER = ("Harm: ", "It does what the contract refuses.", "It refuses what the contract does: ")
"""How sentences began that were drawn for harms, before these needed a reason."""


def _is_explained(entry: Acceptance) -> bool:
    """Whether what an entry accepts harms nobody, or it says why the harm is accepted."""
    if "safe" not in entry.fails or entry.because.startswith("safe: overcautious: "):
        return "safe" not in entry.fails or explains(entry.reason, entry.because)
    return explains(entry.reason, entry.because) and not entry.reason.startswith(_FORMER)


@pytest.mark.slow
def test_every_shipped_baseline_can_be_read() -> None:
    suite = Suite(Path(__file__).parents[3] / "fixtures")
    there = 0
    for target in targets():
        file = known_failures(target)
        if file.exists():
            there += 1
            read = load_baseline(file, suite.ids(), suite.contracts)
            assert read.name == f"target:{target.pinned}"
            assert all(entry.because for entry in read.accepted.values())
            assert {
                entry.scenario_id for entry in read.accepted.values() if not _is_explained(entry)
            } == set()
    assert there


def test_what_varies_is_kept_whatever_the_run_saw(tmp_path: Path) -> None:
    old = baseline(
        tmp_path,
        'name: t\ngroups:\n  - fails: [reason]\n    contract: "2.1.7"\n    because: varies\n'
        "    reason: It runs calls at once.\n    scenarios: {gate: [a]}\n",
    )
    for now, fails in (
        (passed("gate/a"), {"reason"}),
        (failed("gate/a", NOT_READ), {"effects", "reason"}),
    ):
        [entry] = baseline(tmp_path, grouped_text("t", [now], old)).accepted.values()
        assert (entry.because, entry.reason, entry.fails) == ("varies", "It runs calls at once.", fails)
        assert apply_baseline(now, baseline(tmp_path, grouped_text("t", [now], old))).conformant


def test_what_scenarios_lack_that_are_run_later_is_added_to_what_the_others_lacked(tmp_path: Path) -> None:
    def unjudged(scenario_id: str, *lacks: str) -> Verdict:
        return Verdict(scenario_id, "2.1.7", "reason", "unsupported", {}, lacks=lacks)

    old = baseline(
        tmp_path,
        grouped_text("target:x@1", [unjudged("gate/a", "deny"), unjudged("gate/b", "Read of *.png")]),
    )
    later = [unjudged("state/c", "stop"), unjudged("state/10", "Read of *.png")]
    lacking = baseline(tmp_path, grouped_text("target:x@1", later, old, added=True)).lacking
    assert lacking is not None
    assert lacking.unclaimed == {"deny", "stop"}
    assert lacking.unsupported == {"Read of *.png": 2}


def test_what_is_left_to_luck_may_fail_otherwise_the_next_time_or_not_at_all(tmp_path: Path) -> None:
    text = grouped_text("target:x@1", [failed("gate/a", FILE), failed("gate/b", FILE)], lucky={"gate/a"})
    read = baseline(tmp_path, text)
    assert read.accepted["gate/a", "2.1.7"].because == "varies"
    assert [
        apply_baseline(each, read).conformant for each in (failed("gate/a", NOT_READ), passed("gate/a"))
    ] == [
        True,
        True,
    ]
    assert not apply_baseline(passed("gate/b"), read).conformant


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
    assert {each for each in lucky | certain if suite.scenario(each).left_to_luck} == lucky
