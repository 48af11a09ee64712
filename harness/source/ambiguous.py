"""Ambiguous scalars: unquoted strings that other YAML readers read as another type."""

from __future__ import annotations

import re

# What YAML 1.1 or the core schema of YAML 1.2 reads as null, truth value, number or time.
_AMBIGUOUS = re.compile(
    r"""~|=|[Nn]ull|NULL|[Yy]|[Yy]es|YES|[Nn]|[Nn]o|NO|[Tt]rue|TRUE|[Ff]alse|FALSE|[Oo]n|ON|[Oo]ff|OFF
    |[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)
    |[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?
    |[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+
    |[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?""",
    re.VERBOSE,
)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_JSON_WORDS = ("null", "true", "false")


def is_ambiguous(text: str) -> bool:
    """Tell whether some reader takes an unquoted string for a null, truth value, number or time, and others do not.

    What JSON spells, such as `12` or `true`, all of them read alike.
    """
    if text in _JSON_WORDS or _JSON_NUMBER.fullmatch(text):
        return False
    return _AMBIGUOUS.fullmatch(text) is not None
