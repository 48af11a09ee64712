"""Find the position of the first difference between two texts, or between the bytes of two files."""

from bisect import bisect_left
from typing import AnyStr


def first_difference(one: AnyStr, other: AnyStr) -> int | None:
    """Return the index of the first character (or byte) that differs between two texts. None if they are equal.

    The index is found by bisection, because some texts have many megabytes.
    """
    if one == other:
        return None
    shorter = range(min(len(one), len(other)))
    return bisect_left(shorter, True, key=lambda at: not one.startswith(other[: at + 1]))
