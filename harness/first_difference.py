"""Find the position of the first difference between two texts, or between the bytes of two files."""

from bisect import bisect_left
from typing import AnyStr


def first_difference(left: AnyStr, right: AnyStr) -> int | None:
    """Return the index of the first difference between two texts. None if the texts are equal."""
    if left == right:
        return None
    indexes = range(min(len(left), len(right)))
    return bisect_left(indexes, True, key=lambda index: not left.startswith(right[: index + 1]))
