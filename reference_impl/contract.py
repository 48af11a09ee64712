"""What differs between contracts: one table of named behaviours per contract.

A rule asks `behaviours.<name>`; it never asks for the contract's name. A further contract is one further
entry of `CONTRACTS`, usually `replace(<the nearest one>, ...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

__all__ = ["CONTRACTS", "DEFAULT_CONTRACT", "Behaviours", "behaviours_of"]

DEFAULT_CONTRACT = "2.1.7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviours:
    """The choices of one contract. None means that the rule does not exist there."""

    relative_paths_are_resolved: bool
    """A path that does not begin with `/` is taken from the root; otherwise the call is refused."""
    read_expands_home: bool
    """Read takes `~` for the home directory and cuts blanks around the path, as Edit and Write do everywhere."""
    trailing_blanks_are_cut: bool
    """Edit (of a file that exists) and Write cut the blanks before each line's end of what they insert."""
    line_endings_of_utf_16_are_seen: bool
    """The line endings of a UTF-16 file are found in its text; otherwise in its bytes, where there are none."""
    media_are_remembered: bool
    """A Read of an image or a PDF counts as a Read."""
    default_line_limit: int | None
    """Lines that Read returns when `limit` is not given."""
    line_width_limit: int | None
    """Characters of each line that Read returns."""
    whole_reads_are_compared: bool
    """A Read without offset and limit is remembered as the whole file. Then a file that was only touched
    may be edited, because its content is compared."""
    remembered_files: int | None
    """How many files a session remembers."""
    changed_files_are_noticed: bool
    """After each message a file that is remembered whole and is newer on disk is read again. The model is told what
    changed in it, so the next Edit or Write goes through."""


_V2_1_7 = Behaviours(
    relative_paths_are_resolved=True,
    read_expands_home=False,
    trailing_blanks_are_cut=True,
    line_endings_of_utf_16_are_seen=False,
    media_are_remembered=False,
    default_line_limit=None,
    line_width_limit=None,
    whole_reads_are_compared=False,
    remembered_files=10,
    changed_files_are_noticed=True,
)

CONTRACTS: Mapping[str, Behaviours] = MappingProxyType(
    {
        "2.1.7": _V2_1_7,
        "documented": replace(
            _V2_1_7,
            relative_paths_are_resolved=False,
            trailing_blanks_are_cut=False,
            line_endings_of_utf_16_are_seen=True,
            media_are_remembered=True,
            default_line_limit=2000,
            line_width_limit=2000,
            whole_reads_are_compared=True,
            remembered_files=None,
            changed_files_are_noticed=False,
        ),
    }
)


def behaviours_of(contract: str | Behaviours) -> Behaviours:
    """Return the behaviours of a contract, or those given. ValueError: the reference does not know the contract."""
    if isinstance(contract, Behaviours):
        return contract
    if contract not in CONTRACTS:
        raise ValueError(f"unknown contract {contract!r}; the reference knows {', '.join(CONTRACTS)}")
    return CONTRACTS[contract]
