import hashlib
from collections.abc import Mapping

from readfirst.harness.diff.difference import Occurrence, may_be_same_text, occurrences
from readfirst.harness.diff.observed_answers import recorded_answers
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile, Symlink
from readfirst.harness.suite.scenario import (
    CallIndex,
    Clause,
    Given,
    ParallelCalls,
    Scenario,
    Step,
    TextDigest,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.suite.transcript import UNNAMED, RecordedResult, Transcript, TranscriptStep
from tests.rows import rows

FILE = RegularFile(b"alpha\n")
EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "alpha", "new_string": "gamma"})
READ = ToolCall("Read", {"file_path": "$WS/a"})
UNREAD = Clause(error="not_read", text="File has not been read yet.")


def scenario(*steps: Step) -> Scenario:
    return Scenario("some/id", "A title", "must", Given({"a": FILE}), steps)


def wrote(entry: Entry | bytes | None, text: str = "Done.") -> Clause:
    """Return the result of a call that left `entry` in the file `a`, or removed the file if `entry` is None."""
    return Clause(text=text, files={"a": RegularFile(entry) if isinstance(entry, bytes) else entry})


def between(
    one: Clause | Mapping[CallIndex, Clause], other: Clause | Mapping[CallIndex, Clause], *steps: Step
) -> list[Occurrence]:
    """Return the differences between two results, by default of one Edit. Results without an index are of call 0."""
    sides = [{(0, 0): side} if isinstance(side, Clause) else side for side in (one, other)]
    return occurrences(scenario(*(steps or (EDIT,))), *sides)


def summary(found: list[Occurrence]) -> list[tuple[str, str, str, str, str]]:
    changes = [each.change for each in found]
    return [(each.level, each.kind, each.subject, each.before, each.after) for each in changes]


def test_a_refusal_without_an_error_name_is_reported_by_its_text() -> None:
    found = between(Clause(error=UNNAMED, text="Sorry, $WS/a is odd"), wrote(b"gamma\n"))
    assert found[0].change.before == "refused: Sorry, PATH is odd"


def test_two_refusals_with_different_error_names_are_reported_without_their_texts() -> None:
    found = between(UNREAD, Clause(error="string_not_found", text="String to replace not found in file."))
    assert summary(found) == [("reason", "reason", "", "refused (not_read)", "refused (string_not_found)")]


@rows(
    ("one", "other", "subject", "before", "after"),
    [
        (b"x\r\ny\r\n", b"x\ny\n", "line ends", "CRLF", "LF"),
        (b"x\r\r\n", b"x\r\n", "line ends", "CR CRLF", "CRLF"),
        (b"x\n", b"\xef\xbb\xbfx\n", "byte order mark", "without", "with"),
        (b"x", b"x\n", "newline at the end", "without", "with"),
        (b"x  \ny\n", b"x\ny\n", "whitespace at line ends", "kept", "cut"),
        (b"say 'x'\n", "say ‘x’\n".encode(), "quotes", "straight", "curly"),
        (b"gamma\n", b"delta\n", "content", "", ""),
    ],
)
def test_different_bytes_are_reported_with_the_kind_of_the_difference(
    one: bytes, other: bytes, subject: str, before: str, after: str
) -> None:
    assert summary(between(wrote(one), wrote(other))) == [("effects", "file", subject, before, after)]


def test_a_file_that_only_one_side_changed_is_a_difference() -> None:
    (change,) = summary(between(Clause(text="Done."), wrote(b"gamma\n")))
    assert change == (
        *("effects", "file", "whether it changes"),
        *("the file is left as it was", "the file is changed"),
    )
    (back,) = summary(between(wrote(b"gamma\n"), Clause(text="Done.")))
    assert back[3:] == ("the file is changed", "the file is left as it was")


def test_a_file_with_different_types_on_both_sides_is_a_difference() -> None:
    found = summary(between(wrote(Symlink("b")), wrote(b"gamma\n")))
    assert found == [("effects", "path", "", "a symbolic link", "a regular file")]
    (gone,) = summary(between(wrote(None), wrote(Directory())))
    assert gone[3:] == ("nothing there", "a directory")


def test_a_file_with_different_modes_on_both_sides_is_a_difference() -> None:
    found = summary(between(wrote(RegularFile(b"g", 0o600)), wrote(RegularFile(b"g", 0o644))))
    assert found == [("effects", "mode", "mode", "0600", "0644")]
    assert between(wrote(RegularFile(b"g", None)), wrote(RegularFile(b"g", 0o644))) == []


def test_a_file_stored_as_a_digest_is_compared_with_the_bytes_of_the_other_side() -> None:
    digest = FileDigest(hashlib.sha256(b"gamma\n").hexdigest(), 6)
    assert between(wrote(digest), wrote(b"gamma\n")) == []
    assert summary(between(wrote(digest), wrote(b"delta\n")))[0][:3] == ("effects", "file", "content")


def test_a_call_with_a_result_on_only_one_side_is_not_compared() -> None:
    assert between({}, wrote(b"gamma\n")) == []


def test_changed_files_of_parallel_calls_are_reported_after_these_calls() -> None:
    group = ParallelCalls((EDIT, READ))
    first = {(0, 0): UNREAD, (0, 1): Clause(text="x"), (0, None): Clause()}
    second = {(0, 0): Clause(text="x"), (0, 1): Clause(text="x"), (0, None): wrote(b"gamma\n")}
    found = between(first, second, group)
    assert [(each.tool, each.change.kind, each.follows) for each in found] == [
        ("Edit", "refusal", False),
        ("parallel calls", "file", True),
    ]


@rows(
    ("one", "other", "same"),
    [
        (None, "words", True),
        ("words", None, True),
        ("words", "words", True),
        ("words", "other", False),
        (TextDigest(starts="wo"), "words", True),
        ("words", TextDigest(starts="or"), False),
        (TextDigest(sha256="a" * 64), TextDigest(sha256="a" * 64, lines=2), True),
        (TextDigest(sha256="a" * 64), TextDigest(sha256="b" * 64), False),
        (TextDigest(starts="a"), TextDigest(starts="b"), False),
    ],
)
def test_two_expected_texts_agree_if_some_text_can_match_both(
    one: str | TextDigest | None, other: str | TextDigest | None, same: bool
) -> None:
    assert may_be_same_text(one, other) is same


def test_a_text_stored_by_its_start_and_its_end_is_reported_as_one_change() -> None:
    digest = TextDigest(sha256="a" * 64, starts="     1→a", ends="     9→i")
    found = summary(between(Clause(text=digest), Clause(text="     1→a\n     2→b"), READ))
    assert found == [("text", "content", "content", "", "")]


def test_a_refusal_whose_text_is_stored_by_its_start_is_reported_by_its_error_name() -> None:
    one = Clause(error="invalid_settings", text=TextDigest(starts="Not valid: old schema"))
    other = Clause(error="invalid_settings", text="Not valid: new schema and more")
    assert summary(between(one, other)) == [("text", "refusal words", "invalid_settings", "", "")]


def test_answers_from_a_recording_omit_reminders_of_the_product() -> None:
    reminded = "Done.\n\n<system-reminder>Beware.</system-reminder>"
    unread = TranscriptStep(("Edit",), (RecordedResult.of(UNREAD.text, "not_read"),))
    results = RecordedResult.of("1\tx", None), RecordedResult.of(reminded, None)
    group = TranscriptStep(("Read", "Edit"), results, {"a": RegularFile(b"y\n")})
    steps = scenario(WorldEvent("touch", "a", mtime=2), EDIT, ParallelCalls((READ, EDIT)))
    assert recorded_answers(steps, Transcript((unread, group))) == {
        (1, 0): UNREAD,
        (2, 0): Clause(text="1\tx"),
        (2, 1): Clause(text="Done."),
        (2, None): Clause(files={"a": RegularFile(b"y\n")}),
    }
    assert [*recorded_answers(steps, Transcript((unread,)))] == [(1, 0)], "a transcript may end early"
