from readfirst.harness.diff.normalize_text import Change, compare_answers, generalize_text, parts
from tests.rows import rows


def changes(before: str, after: str, known: str = "", **arguments: object) -> list[Change]:
    """Return the changes between two answers. `known`: the lines of the file; `arguments`: those of the call."""
    return list(compare_answers(before, after, arguments, frozenset(known.split())))


@rows(
    ("one", "other"),
    [
        ("The file $WS/a.txt is there.", "The file $WS/deep/b.md is there."),
        ("Found 2 matches.", "Found 12,000 matches."),
        ("Did you mean 'a'?", "Did you mean 'b c'?"),
        ("open /usr/lib/x failed", "open /etc/y/z failed"),
    ],
)
def test_paths_numbers_and_quoted_words_are_ignored_in_a_comparison(one: str, other: str) -> None:
    assert generalize_text(one) == generalize_text(other)
    assert generalize_text(one) != one


def test_text_from_the_arguments_of_the_call_is_ignored_in_a_comparison() -> None:
    for words in ("alpha", "some other words"):
        assert generalize_text(f"String: {words}", {"old_string": words}) == "String: {old_string}"


def test_an_unusual_line_prefix_is_detected_if_the_lines_of_the_file_are_known() -> None:
    (block,) = parts("00001| alpha\n00002| beta", {}, frozenset({"alpha", "beta"}))
    assert block.prefix == "00001| "
    found = parts("00001| alpha", {}, frozenset())
    assert [part.kind for part in found] == ["words"]


def test_different_file_content_in_an_answer_is_reported_by_its_kind() -> None:
    shorter, longer = changes("     1→\ufeffa", "     1→a") + changes("     1→a", "     1→\ufeffa")
    assert (shorter.kind, shorter.subject, shorter.after) == ("content", "byte order mark", "shorter")
    assert longer.after == "longer"


def test_a_different_number_in_a_sentence_is_a_detail() -> None:
    (change,) = changes("Found 2 matches.", "Found 3 matches.")
    assert (change.kind, change.subject) == ("detail", "Found N matches.")
    assert (change.words_before, change.words_after) == ("Found 2 matches.", "Found 3 matches.")


def test_an_argument_of_several_lines_in_an_answer_does_not_split_the_sentence() -> None:
    (one,) = changes("All 'a\nb' were replaced.", "All were replaced.", old_string="a\nb")
    (other,) = changes("All 'c' were replaced.", "All were replaced.", old_string="c")
    assert one.before == other.before
