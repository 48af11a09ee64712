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

Side = Clause | Mapping[CallIndex, Clause]
Text = str | TextDigest | None
FILE = RegularFile(b"alpha\n")
EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "alpha", "new_string": "gamma"})
READ = ToolCall("Read", {"file_path": "$WS/a"})
UNREAD = Clause(error="not_read", text="File has not been read yet.")


def file(mode: int | None) -> RegularFile:
    return RegularFile(b"g", mode)


def scenario(*steps: Step) -> Scenario:
    return Scenario("some/id", "A title", "must", Given({"a": FILE}), steps)


def wrote(entry: Entry | bytes | None, text: str = "Done.") -> Clause:
    """Return the result of a call that left `entry` in the file `a`, or removed the file if `entry` is None."""
    return Clause(text=text, files={"a": RegularFile(entry) if isinstance(entry, bytes) else entry})


def between(one: Side, other: Side, *steps: Step) -> list[Occurrence]:
    """Return the differences between two results, by default of one Edit. Results without an index are of call 0."""
    sides = [{(0, 0): side} if isinstance(side, Clause) else side for side in (one, other)]
    return occurrences(scenario(*(steps or (EDIT,))), *sides)


def summary(found: list[Occurrence]) -> list[tuple[str, str, str, str, str]]:
    changes = [each.change for each in found]
    return [(each.level, each.kind, each.subject, each.before, each.after) for each in changes]


def test_a_refusal_without_an_error_name_is_reported_by_its_text() -> None:
    found = between(Clause(error=UNNAMED, text="Sorry, $WS/a is odd"), wrote(b"gamma\n"))
    assert found[0].change.before == "refused: Sorry, PATH is odd"


DIGEST = FileDigest(hashlib.sha256(b"gamma\n").hexdigest(), 6)
DONE = Clause(text="Done.")
NOT_FOUND = Clause(error="string_not_found", text="String to replace not found in file.")
CHANGED, AS_IT_WAS = "the file is changed", "the file is left as it was"


@rows(
    ("one", "other", "found"),
    [
        (wrote(b"x\r\ny\r\n"), wrote(b"x\ny\n"), ("effects", "file", "line ends", "CRLF", "LF")),
        (wrote(b"x\r\r\n"), wrote(b"x\r\n"), ("effects", "file", "line ends", "CR CRLF", "CRLF")),
        (wrote(b"x\n"), wrote(b"\xef\xbb\xbfx\n"), ("effects", "file", "byte order mark", "without", "with")),
        (wrote(b"x"), wrote(b"x\n"), ("effects", "file", "newline at the end", "without", "with")),
        (wrote(b"x  \ny\n"), wrote(b"x\ny\n"), ("effects", "file", "whitespace at line ends", "kept", "cut")),
        (wrote(b"'x'\n"), wrote("‘x’\n".encode()), ("effects", "file", "quotes", "straight", "curly")),
        (wrote(b"gamma\n"), wrote(b"delta\n"), ("effects", "file", "content", "", "")),
        (wrote(DIGEST), wrote(b"delta\n"), ("effects", "file", "content", "", "")),
        (DONE, wrote(b"gamma\n"), ("effects", "file", "whether it changes", AS_IT_WAS, CHANGED)),
        (wrote(b"gamma\n"), DONE, ("effects", "file", "whether it changes", CHANGED, AS_IT_WAS)),
        (wrote(Symlink("b")), wrote(b"g"), ("effects", "path", "", "a symbolic link", "a regular file")),
        (wrote(None), wrote(Directory()), ("effects", "path", "", "nothing there", "a directory")),
        (wrote(file(0o600)), wrote(file(0o644)), ("effects", "mode", "mode", "0600", "0644")),
        (UNREAD, NOT_FOUND, ("reason", "reason", "", "refused (not_read)", "refused (string_not_found)")),
    ],
)
def test_a_difference_is_reported_with_its_kind(one: Clause, other: Clause, found: tuple[str, ...]) -> None:
    assert summary(between(one, other)) == [found]


@rows(
    ("one", "other"),
    [(wrote(file(None)), wrote(file(0o644))), (wrote(DIGEST), wrote(b"gamma\n")), ({}, wrote(b"gamma\n"))],
)
def test_a_value_that_one_side_does_not_state_is_no_difference(one: Clause, other: Clause) -> None:
    assert between(one, other) == []


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
        *((None, "words", True), ("words", None, True), ("words", "words", True), ("words", "other", False)),
        (TextDigest(starts="wo"), "words", True),
        ("words", TextDigest(starts="or"), False),
        (TextDigest(sha256="a" * 64), TextDigest(sha256="a" * 64, lines=2), True),
        (TextDigest(sha256="a" * 64), TextDigest(sha256="b" * 64), False),
        (TextDigest(starts="a"), TextDigest(starts="b"), False),
    ],
)
def test_two_expected_texts_agree_if_some_text_can_match_both(one: Text, other: Text, same: bool) -> None:
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
