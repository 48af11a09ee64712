import inspect

import pytest

from tests.rows import rows


@rows(("number", "square"), [(2, 4), (3, 8), (4, 16), (5, 24)])
def squares(suite: object, number: int, square: int) -> None:
    """The rows 1 and 3 fail, because their squares are wrong."""
    assert number**2 == square


@rows("text", ["a", "b"])
def refused(text: str) -> None:
    """The row "a" fails, because the exception does not match."""
    with pytest.raises(ValueError, match="b"):
        raise ValueError(text)


def test_a_failing_test_names_every_row_that_failed() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 4 rows") as failed:
        squares(suite=None)
    assert [each.__notes__ for each in failed.value.exceptions] == [
        ["in row 1: {'number': 3, 'square': 8}"],
        ["in row 3: {'number': 5, 'square': 24}"],
    ]


def test_a_row_without_the_expected_exception_fails() -> None:
    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows") as failed:
        refused()
    assert failed.value.exceptions[0].__notes__ == ["in row 0: {'text': 'a'}"]


@rows("text", ["a", "b"])
def skipped(text: str) -> None:
    pytest.skip(f"no {text} here")


def test_a_skipped_row_counts_as_failed_and_the_next_rows_still_run() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 2 rows"):
        skipped()


def test_parameters_that_are_not_columns_of_the_table_are_fixtures() -> None:
    assert [*inspect.signature(squares).parameters] == ["suite"]


def test_the_decorator_rows_refuses_a_table_without_rows() -> None:
    with pytest.raises(AssertionError):
        rows("text", [])
