"""A table whose rows are checked in one test: the test fails if a row fails, and reports all rows that fail."""

import inspect

import pytest

from tests.rows import rows


@rows(("number", "square"), [(2, 4), (3, 8), (4, 16), (5, 24)])
def squares(suite: object, number: int, square: int) -> None:
    assert number**2 == square


@rows("text", ["a", "b"])
def refused(text: str) -> None:
    with pytest.raises(ValueError, match="b"):
        raise ValueError(text)


def test_every_row_that_fails_is_named() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 4 rows") as failed:
        squares(suite=None)
    assert [each.__notes__ for each in failed.value.exceptions] == [
        ["in row 1: {'number': 3, 'square': 8}"],
        ["in row 3: {'number': 5, 'square': 24}"],
    ]


def test_a_missing_exception_fails_its_row() -> None:
    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows") as failed:
        refused()
    assert failed.value.exceptions[0].__notes__ == ["in row 0: {'text': 'a'}"]


@rows("text", ["a", "b"])
def skipped(text: str) -> None:
    pytest.skip(f"no {text} here")


def test_a_skipped_row_fails_and_the_next_rows_run() -> None:
    with pytest.raises(BaseExceptionGroup, match="2 of 2 rows"):
        skipped()


def test_arguments_outside_the_table_are_fixtures() -> None:
    assert [*inspect.signature(squares).parameters] == ["suite"]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(AssertionError):
        rows("text", [])
