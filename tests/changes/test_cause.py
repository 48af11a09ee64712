from readfirst.harness.diff.cause import Cause, group_by_cause
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import Change, ChangeLevel, Kind, compare_answers
from readfirst.harness.diff.report import example_texts, headline

APPLIED = "applied"
"""The result of a call that changed a file, as opposed to a refusal."""


def change(
    level: ChangeLevel = "text",
    kind: Kind = "words",
    subject: str = "a → b",
    before: str = "a",
    after: str = "b",
) -> Change:
    return Change(level, kind, subject, before, after, before, after)


def refusal(before: str, after: str) -> Change:
    """Return a change of the result. `before` and `after` are `APPLIED` or the name of an error."""
    names = [name if name == APPLIED else f"refused ({name})" for name in (before, after)]
    kind: Kind = "refusal" if APPLIED in names else "reason"
    return change("effects" if kind == "refusal" else "reason", kind, "", *names)


def make_occurrence(
    what: Change, scenario: str = "a/b", tool: str = "Edit", step: int = 0, follows: bool = False
) -> Occurrence:
    """Return a change at a call of a scenario. `follows`: an earlier difference caused it."""
    return Occurrence(what, scenario, (step, 0), tool, follows)


def causes(*found: Occurrence) -> list[Cause]:
    return group_by_cause(found)[0]


def headlines(*found: Occurrence) -> list[str]:
    return [headline(cause) for cause in causes(*found)]


def test_a_difference_in_bytes_concerns_safety_and_a_difference_in_words_does_not() -> None:
    line_ends = change("effects", "file", "line ends", "LF", "CRLF")
    found = causes(make_occurrence(line_ends), make_occurrence(change()))
    assert [cause.safety for cause in found] == [True, False]


def test_only_a_refusal_that_protects_a_file_is_a_separate_cause_for_each_tool() -> None:
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


def test_two_tools_share_a_cause_only_if_their_bytes_differ_in_the_same_way() -> None:
    marks = change("effects", "file", "byte order mark", "without", "with")
    back = change("effects", "file", "byte order mark", "with", "without")
    content = change("effects", "file", "content", "", "")
    for edit, write, count in ((marks, marks, 1), (marks, back, 2), (content, content, 2)):
        assert len(causes(make_occurrence(edit, tool="Edit"), make_occurrence(write, tool="Write"))) == count


def test_a_consequence_of_another_difference_is_a_cause_only_if_it_also_occurs_without_it() -> None:
    alone, after = make_occurrence(change(), "a/1"), make_occurrence(change(), "a/2", follows=True)
    found, consequences = group_by_cause([alone, after])
    assert found[0].scenario_ids == ("a/1", "a/2")
    assert consequences == []
    found, consequences = group_by_cause([after])
    assert (found, consequences) == ([], [after])


def test_a_text_or_whitespace_that_only_one_side_has_is_shown() -> None:
    def shown(before: str, after: str) -> tuple[str, tuple[str, ...]]:
        (cause,) = causes(*map(make_occurrence, compare_answers(before, after, {}, frozenset())))
        return headline(cause), example_texts(cause)

    assert shown("Done.", "Done.\nNote.") == ("Edit: says nothing → “Note.”", ("(nothing)", "Note."))
    same = "Edit: says the same with different whitespace and empty lines"
    assert shown("Done.\n", "Done.") == (same, ("Done.\\n", "Done."))
