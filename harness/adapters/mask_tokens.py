"""Mask random ids, times and similar tokens in an answer, to compare answers of several sessions."""

import re

_TOKEN = re.compile(
    r"""
      \b [0-9a-f]{8} (?: - [0-9a-f]{4} ){3} - [0-9a-f]{12} \b                 # UUID
    | \b \d{4}-\d\d-\d\d [T\ ] \d\d:\d\d (?: :\d\d (?:\.\d+)? )? (?: Z | [+-]\d\d:?\d\d )?  # date and time
    | \b \d\d:\d\d:\d\d (?:\.\d+)? \b                                            # time
    | \b (?= [0-9a-f]* \d ) (?= [0-9a-f]* [a-f] ) [0-9a-f]{8,} \b               # hexadecimal digest or id
    | \b \d{10,} (?:\.\d+)? \b                                                   # seconds since 1970, or a finer unit
    | \b \d+ (?:\.\d+)? \s? (?: ms | µs | us | milliseconds? | seconds? ) \b   # duration
    """,
    re.VERBOSE | re.IGNORECASE,
)
MASK = "…"
"""Character that replaces a token in a masked text."""


def mask_tokens(text: str) -> str:
    """Replace hashes, ids, times and durations by MASK, but not short numbers, which may be line numbers."""
    return _TOKEN.sub(MASK, text)
