"""Write a number with its noun in the singular or plural."""


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 rule`, `2 rules` or `1,504 scenarios`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
