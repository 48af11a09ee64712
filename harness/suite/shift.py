"""Shift: by how much a file's time moves, as scenario files write it (`+2s`, `-10s`, `+1ms`, `+900us`)."""

from __future__ import annotations

import re
from fractions import Fraction

Seconds = int | Fraction
"""An exact number of seconds: whole ones as int."""

NANOSECONDS = 1_000_000_000

_SHIFT = re.compile(r"([+-](?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?)(s|ms|us)")
_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000}


def parse_shift(text: str) -> Seconds | None:
    """Return the seconds; None where it is not a shift, or finer than a nanosecond."""
    match = _SHIFT.fullmatch(text)
    if match is None:
        return None
    number, unit = match.groups()
    seconds = Fraction(number) / _UNITS[unit]
    if (seconds * NANOSECONDS).denominator != 1:
        return None
    return seconds.numerator if seconds.denominator == 1 else seconds


def shift_text(seconds: Seconds) -> str:
    """Return the shift as it is written, in the largest unit in which it is whole, else in microseconds."""
    for unit, parts in _UNITS.items():
        if (count := Fraction(seconds) * parts).denominator == 1:
            return f"{count.numerator:+d}{unit}"
    thousandths = Fraction(seconds) * NANOSECONDS
    whole, rest = divmod(abs(thousandths.numerator), 1000)
    return f"{'-' if seconds < 0 else '+'}{whole}.{rest:03d}us"
