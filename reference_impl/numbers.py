"""Numbers as the product prints them: one kind of number, whole ones without a point."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["Number", "shown"]

Number = int | float
_LARGEST_PLAIN = 21
_SMALLEST_PLAIN = -6


def shown(number: Number) -> str:
    """Return a number as text: `2`, `1.5`, `-3`, `1e+21`, `1e-7`. More digits than a double holds are lost."""
    value = float(number)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if len(text) <= point <= _LARGEST_PLAIN:
        text += "0" * (point - len(text))
    elif 0 < point <= _LARGEST_PLAIN:
        text = f"{text[:point]}.{text[point:]}"
    elif _SMALLEST_PLAIN < point <= 0:
        text = f"0.{'0' * -point}{text}"
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        text = f"{text[0]}{fraction}e{point - 1:+d}"
    return f"-{text}" if sign else text
