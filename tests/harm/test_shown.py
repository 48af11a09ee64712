"""Which lines of a file an answer shows."""

import pytest

from readfirst.harness.harm.shown import shown_lines


@pytest.mark.parametrize("digits", ["7" * 18, "7" * 5000])
def test_a_line_of_digits_is_a_line_however_long_it_is(digits: str) -> None:
    assert shown_lines(["alpha", digits], digits) == [False, True]
    assert shown_lines([digits], f"     1→{digits}") == [True]
