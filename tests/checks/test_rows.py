import inspect

import pytest

from tests.rows import rows


@rows(("number", "square"), [(2, 4), (3, 8), (4, 16), (5, 24)])
def squares(suite: object, number: int, square: int) -> None:
    """The rows 1 and 3 fail, because their squares are wrong."""
    assert number**2 == square


@rows("text", ["a", "b", "skipped"])
def refused(text: str) -> None:
    """The row "a" fails, because the exception does not match, and the last row is skipped."""
    if text == "skipped":
        pytest.skip("a reason")
    with pytest.raises(ValueError, match="b"):
        raise ValueError(text)


def test_a_failing_test_names_every_row_that_failed() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 4 rows") as failed:
        squares(suite=None)
    assert [each.__notes__ for each in failed.value.exceptions] == [
        ["in row 1: {'number': 3, 'square': 8}"],
        ["in row 3: {'number': 5, 'square': 24}"],
    ]


def test_a_row_that_is_skipped_or_lacks_the_expected_exception_fails() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 3 rows") as failed:
        refused()
    notes = [each.__notes__ for each in failed.value.exceptions]
    assert notes == [["in row 0: {'text': 'a'}"], ["in row 2: {'text': 'skipped'}"]]


def test_the_decorator_keeps_fixtures_and_refuses_a_table_without_rows() -> None:
    assert [*inspect.signature(squares).parameters] == ["suite"]
    with pytest.raises(AssertionError):
        rows("text", [])
