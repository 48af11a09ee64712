"""What a side gives at each call: from clauses, from transcripts, and from the differences of a judged run."""

import hashlib

import pytest

from readfirst.harness.compare.verdict import Difference, Level
from readfirst.harness.diff.observed_answers import (
    Answer,
    ReportedEntry,
    patched,
    recorded_answers,
)
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, TextDigest, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep

EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "x", "new_string": "y"})
READ = ToolCall("Read", {"file_path": "$WS/a"})
TOUCH = WorldEvent("touch", "a", mtime=2)
UNREAD = "File has not been read yet. Read it first before writing to it."
LONG = "A long text.\n" * 500
SHA256 = hashlib.sha256(LONG.encode()).hexdigest()

SCENARIO = Scenario("a/b", "A title", "must", Given(), (TOUCH, EDIT, ParallelCalls((READ, EDIT))))
EXPECTED = {
    (1, 0): Answer(True, "not_read", UNREAD),
    (2, 0): Answer(text="1\tx"),
    (2, 1): Answer(text="Done."),
    (2, None): Answer(files={"a": RegularFile(b"y\n")}),
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Suite().vocabulary


def differing(
    what: str, got: str, step: int = 1, call: int = 0, expected: str = "", level: Level = "text"
) -> Difference:
    return Difference(step, call, level, what, expected, got)


def test_a_refusal_that_came_instead_is_named_by_its_words(vocabulary: Vocabulary) -> None:
    raw = f"refused: <tool_use_error>{UNREAD}</tool_use_error>"
    found = patched(SCENARIO, EXPECTED, [differing("refused", raw, 2, 1)], vocabulary)
    assert found[2, 1] == Answer(True, "not_read", UNREAD)
    odd = patched(SCENARIO, EXPECTED, [differing("refused", "refused: No.", 2, 1)], vocabulary)
    assert odd[2, 1] == Answer(True, None, "No.")


def test_another_error_has_its_name_or_none(vocabulary: Vocabulary) -> None:
    known = patched(SCENARIO, EXPECTED, [differing("error", "file_not_found")], vocabulary)
    assert known[1, 0].error == "file_not_found"
    unknown = patched(SCENARIO, EXPECTED, [differing("error", "no known error: No.")], vocabulary)
    assert unknown[1, 0].error is None
    assert unknown[1, 0].refused


def test_of_a_long_text_that_differs_as_much_is_kept_as_was_reported(vocabulary: Vocabulary) -> None:
    expected = {(1, 0): Answer(text=TextDigest(SHA256, 501, "A long", "text.\n"))}
    differences = [
        differing("start of text", "B long"),
        differing("end of text", "end.\n"),
        differing("lines of text", "7"),
        differing("sha256 of text", "b" * 64),
    ]
    found = patched(SCENARIO, expected, differences, vocabulary)
    assert found[1, 0].text == TextDigest("b" * 64, 7, "B long", "end.\n")
    only = patched(SCENARIO, {(1, 0): Answer(text=LONG)}, differences[:1], vocabulary)
    assert only[1, 0].text == TextDigest(None, None, "B long", LONG[-200:])


def test_files_that_differ_are_those_of_the_call_or_of_its_group(vocabulary: Vocabulary) -> None:
    differences = [
        differing("file a", "z\n", level="effects"),
        differing("mode of a", "0600", 2, level="effects"),
        differing("path new/b", "a directory", 2, level="effects"),
    ]
    found = patched(SCENARIO, EXPECTED, differences, vocabulary)
    assert found[1, 0].files == {"a": ReportedEntry("file", "z\n")}
    assert found[2, None].files == {
        "a": ReportedEntry("mode", "0600"),
        "new/b": ReportedEntry("path", "a directory"),
    }
    assert found[2, 0] == EXPECTED[2, 0]


def test_other_remarks_of_a_report_change_no_answer(vocabulary: Vocabulary) -> None:
    remarks = [differing("raw text", "x"), differing("during", "never"), differing("world event", "no", 0)]
    assert patched(SCENARIO, EXPECTED, remarks, vocabulary) == EXPECTED


def recorded() -> Transcript:
    one = TranscriptStep(("Edit",), (RecordedResult.of(UNREAD, "not_read"),))
    reminded = "Done.\n\n<system-reminder>Beware.</system-reminder>"
    two = TranscriptStep(
        ("Read", "Edit"),
        (RecordedResult.of("1\tx", None), RecordedResult.of(reminded, None)),
        {"a": RegularFile(b"y\n")},
    )
    return Transcript((one, two))


def test_a_transcript_is_reported_by_place_and_without_what_the_host_adds() -> None:
    assert recorded_answers(SCENARIO, recorded()) == {
        (1, 0): Answer(True, "not_read", UNREAD),
        (2, 0): Answer(text="1\tx"),
        (2, 1): Answer(text="Done."),
        (2, None): Answer(files={"a": RegularFile(b"y\n")}),
    }


def test_a_transcript_that_ends_early_is_reported_as_far_as_it_goes() -> None:
    early = Transcript(recorded().steps[:1])
    assert list(recorded_answers(SCENARIO, early)) == [(1, 0)]
