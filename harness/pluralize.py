"""Counted: a number with its noun, as a sentence has it."""


def pluralize(number: int, noun: str) -> str:
    """Return `1 rule`, `2 rules`, `1,504 scenarios`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
