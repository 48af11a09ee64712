"""The answers of one side of a comparison to each call, read from a transcript."""

from readfirst.harness.diff.observed_answers import recorded_answers
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Clause, Given, ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep

EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "x", "new_string": "y"})
READ = ToolCall("Read", {"file_path": "$WS/a"})
TOUCH = WorldEvent("touch", "a", mtime=2)
UNREAD = "File has not been read yet. Read it first before writing to it."

SCENARIO = Scenario("a/b", "A title", "must", Given(), (TOUCH, EDIT, ParallelCalls((READ, EDIT))))


def make_transcript() -> Transcript:
    one = TranscriptStep(("Edit",), (RecordedResult.of(UNREAD, "not_read"),))
    reminded = "Done.\n\n<system-reminder>Beware.</system-reminder>"
    two = TranscriptStep(
        ("Read", "Edit"),
        (RecordedResult.of("1\tx", None), RecordedResult.of(reminded, None)),
        {"a": RegularFile(b"y\n")},
    )
    return Transcript((one, two))


def test_answers_of_a_transcript_omit_the_text_of_the_host() -> None:
    assert recorded_answers(SCENARIO, make_transcript()) == {
        (1, 0): Clause(error="not_read", text=UNREAD),
        (2, 0): Clause(text="1\tx"),
        (2, 1): Clause(text="Done."),
        (2, None): Clause(files={"a": RegularFile(b"y\n")}),
    }


def test_answers_of_a_transcript_end_where_it_ends() -> None:
    early = Transcript(make_transcript().steps[:1])
    assert list(recorded_answers(SCENARIO, early)) == [(1, 0)]
