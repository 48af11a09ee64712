"""Texts in the output: invisible characters are escaped, long texts truncated, and different lines compared."""

from hypothesis import given
from hypothesis import strategies as st

from readfirst.harness.first_difference import first_difference
from readfirst.harness.report.escape import MAX_ESCAPED_CHARS, compare_lines, visible, visible_lines
from tests.rows import rows

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)
"""Any text, also with characters that are not valid in a file."""


@rows(
    ("text", "shown"),
    [
        ("alpha", "alpha"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("a\0b\x1b[31m", "a\\x00b\\x1b[31m"),
        ("\ufeffa\u200b", "\\ufeffa\\u200b"),
        ("a\u00a0b", "a\\u00a0b"),
        ("two  ", "two\\x20\\x20"),
        ("C:\\n", "C:\\\\n"),
        ("\udc80", "\\x80"),
        ("\u0080\ud800", "\\u0080\\ud800"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "caf\\xe9"),
        ("1→“x”", "1→“x”"),
        ("\u202e\U000e0001", "\\u202e\\U000e0001"),
    ],
)
def test_an_invisible_character_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_displayed_differently(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)
    assert (visible_lines(one) == visible_lines(other)) == (one == other)


@rows("text", ["x", "\x1b", "\U000e0001", "ab\x1b"])
def test_a_long_text_is_truncated_after_escaping(text: str) -> None:
    shown, _, rest = visible(text * 100_000).rpartition(" [")
    assert MAX_ESCAPED_CHARS - 10 <= len(shown) <= MAX_ESCAPED_CHARS
    counted = int(rest.removesuffix(" characters]").replace(",", ""))
    assert visible((text * 100_000)[: len(text) * 100_000 - counted]) == shown


def test_a_final_newline_is_shown_as_an_escape_in_the_last_line() -> None:
    assert visible_lines("a\nb\n") == ["a", "b\\n"]
    assert visible_lines("a\nb") == ["a", "b"]
    assert visible_lines("\n") == ["\\n"]


@given(ANY_TEXT, ANY_TEXT)
def test_the_first_difference_of_two_texts_follows_their_common_beginning(one: str, other: str) -> None:
    at = first_difference(one, other)
    if at is None:
        assert one == other
    else:
        assert one[:at] == other[:at]
        assert one[at : at + 1] != other[at : at + 1]


def test_a_different_line_is_marked_at_its_first_difference() -> None:
    lines = [(line.sign, line.text) for line in compare_lines("one\nalpha\r\n", "one\nalpha\n")]
    assert lines == [(" ", "one"), ("-", "alpha\\r\\n"), ("+", "alpha\\n"), ("?", "      ^")]


def test_equal_lines_far_from_a_difference_are_replaced_by_their_number() -> None:
    same = "".join(f"line {n}\n" for n in range(50))
    lines = [(line.sign, line.text) for line in compare_lines(same + "a", same + "b")]
    assert lines[0] == ("?", "[48 equal lines]")
    assert lines[1:3] == [(" ", "line 48"), (" ", "line 49")]
    assert lines[3:5] == [("-", "a"), ("+", "b")]


def test_a_long_line_is_truncated_around_its_difference() -> None:
    same = "a" * 5000
    texts = [line.text for line in compare_lines(f"{same}X{same}", f"{same}Y{same}")]
    assert "X" in texts[0]
    assert "Y" in texts[1]
    assert all(len(text) < 250 for text in texts)
    assert texts[0].startswith("[4,920 characters] ")


def test_after_many_different_lines_the_comparison_is_truncated_and_the_rest_counted() -> None:
    lines = compare_lines("\n".join(map(str, range(900))), "\n".join(f"x{n}" for n in range(900)))
    assert len(lines) == 41
    assert lines[-1].text == "[1,760 more lines]"
