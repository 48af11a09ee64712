"""Which lines of a file an answer shows."""

import pytest

from readfirst.harness.harm.shown import shown_lines
from tests.rows import rows


@pytest.mark.parametrize("digits", ["7" * 18, "7" * 5000])
def test_a_line_of_digits_is_a_line_however_long_it_is(digits: str) -> None:
    assert shown_lines(["alpha", digits], digits) == [False, True]
    assert shown_lines([digits], f"     1→{digits}") == [True]


@rows(
    ("answer", "shown"),
    [
        ("<content>1: alpha\n2: beta\n</content>", [True, True]),
        ("Displayed.\nContent: alpha\nbeta", [True, True]),
        ("<content>2: alpha\n", [False, False]),
        ("Content: beta", [False, False]),
        ("The file has the words: alpha, beta", [False, False]),
    ],
)
def test_the_first_line_may_follow_a_heading(answer: str, shown: list[bool]) -> None:
    assert shown_lines(["alpha", "beta"], answer) == shown
