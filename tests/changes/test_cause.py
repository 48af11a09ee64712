"""Differences with the same cause are grouped, across tools. The most serious cause comes first."""

from readfirst.harness.diff.cause import Cause, group_by_cause
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import Change, ChangeLevel, Kind, compare_answers
from readfirst.harness.diff.report import example_texts, headline

APPLIED = "applied"


def change(
    level: ChangeLevel = "text",
    kind: Kind = "words",
    subject: str = "a → b",
    before: str = "a",
    after: str = "b",
    words_before: str = "",
    words_after: str = "",
) -> Change:
    return Change(level, kind, subject, before, after, words_before or before, words_after or after)


def refusal(before: str, after: str) -> Change:
    names = [name if name == APPLIED else f"refused ({name})" for name in (before, after)]
    kind: Kind = "refusal" if APPLIED in names else "reason"
    return change("effects" if kind == "refusal" else "reason", kind, "", *names)


def make_occurrence(
    what: Change, scenario: str = "a/b", tool: str = "Edit", step: int = 0, follows: bool = False
) -> Occurrence:
    return Occurrence(what, scenario, (step, 0), tool, follows)


def causes(*found: Occurrence) -> list[Cause]:
    return group_by_cause(found)[0]


def headlines(*found: Occurrence) -> list[str]:
    return [headline(cause) for cause in causes(*found)]


def test_different_bytes_concern_safety_and_words_do_not() -> None:
    found = causes(
        make_occurrence(change("effects", "file", "line ends", "LF", "CRLF")), make_occurrence(change())
    )
    assert [cause.safety for cause in found] == [True, False]


def test_only_refusals_that_protect_a_file_are_separated_by_tool() -> None:
    assert headlines(
        make_occurrence(refusal("not_read", APPLIED), "g/1", "Edit"),
        make_occurrence(refusal("not_read", APPLIED), "g/2", "Write"),
        make_occurrence(refusal(APPLIED, "is_link"), "l/1", "Edit"),
        make_occurrence(refusal(APPLIED, "is_link"), "l/2", "Edit"),
        make_occurrence(refusal(APPLIED, "is_link"), "l/3", "Write"),
    ) == [
        "Edit: refused (not_read) → applied",
        "Write: refused (not_read) → applied",
        "Edit, Write: applied → refused (is_link)",
    ]


def test_only_the_same_bytes_of_two_tools_are_one_cause() -> None:
    marks = change("effects", "file", "byte order mark", "without", "with")
    assert len(causes(make_occurrence(marks, tool="Edit"), make_occurrence(marks, tool="Write"))) == 1
    back = change("effects", "file", "byte order mark", "with", "without")
    assert len(causes(make_occurrence(marks, tool="Edit"), make_occurrence(back, tool="Write"))) == 2
    other = change("effects", "file", "content", "", "")
    assert len(causes(make_occurrence(other, tool="Edit"), make_occurrence(other, tool="Write"))) == 2


def test_a_consequence_counts_if_it_also_occurs_alone() -> None:
    alone, after = make_occurrence(change(), "a/1"), make_occurrence(change(), "a/2", follows=True)
    found, consequences = group_by_cause([alone, after])
    assert found[0].scenario_ids == ("a/1", "a/2")
    assert consequences == []
    found, consequences = group_by_cause([after])
    assert (found, consequences) == ([], [after])


def test_a_missing_text_is_reported_as_nothing() -> None:
    (cause,) = causes(make_occurrence(Change("text", "words", "nothing → Note.", "", "Note.", "", "Note.")))
    assert headline(cause) == "Edit: says nothing → “Note.”"
    assert example_texts(cause) == ("(nothing)", "Note.")


def test_other_whitespace_is_reported_as_such() -> None:
    (change,) = compare_answers("Done.\n", "Done.", {}, frozenset())
    (cause,) = causes(make_occurrence(change))
    assert headline(cause) == "Edit: says the same with different whitespace and empty lines"
    assert example_texts(cause) == ("Done.\\n", "Done.")
