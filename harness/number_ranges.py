"""Ranges of successive numbers, such as line numbers."""

from collections.abc import Sequence


def number_ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of consecutive numbers in an ascending list. Each range is its first and its last number."""
    result: list[tuple[int, int]] = []
    for number in numbers:
        if result and result[-1][1] == number - 1:
            result[-1] = result[-1][0], number
        else:
            result.append((number, number))
    return result


def format_number_ranges(numbers: Sequence[int], max_ranges: int) -> str:
    """Return ascending numbers with ranges, such as `2, 5–7`. After too many ranges, the text ends with `and more`."""
    all_ranges = number_ranges(numbers)
    named = [
        str(first) if first == last else f"{first}\N{EN DASH}{last}"
        for first, last in all_ranges[:max_ranges]
    ]
    return ", ".join(named) + (" and more" if len(all_ranges) > max_ranges else "")
