"""Format numbers as JavaScript does, and format sizes of files."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["number_text", "size_text"]

_MAX_PLAIN_DIGITS = 21
_MIN_PLAIN_EXPONENT = -6


def number_text(number: float) -> str:
    """Return a number as JavaScript prints it, with the precision of a double: `2`, `1.5`, `-3`, `1e+21`, `1e-7`."""
    value = float(number)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if not _MIN_PLAIN_EXPONENT < point <= _MAX_PLAIN_DIGITS:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        text = f"{text[0]}{fraction}e{point - 1:+d}"
    elif point > 0:
        fraction = f".{text[point:]}" if len(text) > point else ""
        text = text[:point].ljust(point, "0") + fraction
    else:
        text = f"0.{'0' * -point}{text}"
    return f"-{text}" if sign else text


def size_text(size: int) -> str:
    """Return a number of bytes as text, for example `189 bytes`, `256KB`, `4.8MB`."""
    if size < 1024:
        return f"{size} bytes"
    amount, unit = (size / 1024, "KB") if size < 1024 * 1024 else (size / 1024 / 1024, "MB")
    return f"{amount:.1f}".removesuffix(".0") + unit
