"""What differs between contracts: named behaviours, each with the versions that it changed in.

A rule asks `behaviours.<name>`; it never asks for a version. A further change of the product is one further
entry in the history of a behaviour, or one further behaviour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

__all__ = [
    "DEFAULT_CONTRACT",
    "DOCUMENTED",
    "FIRST_VERSION",
    "LAST_VERSION",
    "Behaviours",
    "ByModel",
    "History",
    "behaviours_of",
    "history_of",
]

DEFAULT_CONTRACT = "2.1.7"
DOCUMENTED = "documented"
FIRST_VERSION = "0.2.126"
LAST_VERSION = "2.1.328"

_NAME = re.compile(r"(\d+)\.(\d+)\.(\d+)(\+gated)?")
_RELAXED_SINCE = (2, 1, 208)
"""From here on newer models may edit what they have not read; `+gated` is a version with an older model."""

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ByModel:
    """A value that depends on the class of the model."""

    enforced: Any
    relaxed: Any


@dataclass(frozen=True, slots=True)
class History:
    """How a behaviour was over time: `first` in the oldest version, then what `changes` say from a version on.

    `documented` is what the documents state. `shown_by` are scenarios in which every one of the changes shows.
    """

    first: Any
    changes: Mapping[Version, Any]
    documented: Any
    shown_by: tuple[str, ...]

    def at(self, version: Version, relaxed: bool) -> Any:
        """Return the value in a version."""
        value = self.first
        for since, later in self.changes.items():
            if since <= version:
                value = later
        if isinstance(value, ByModel):
            return value.relaxed if relaxed else value.enforced
        return value


_LIKE_THE_DEFAULT = object()


def since(
    first: Any,
    changes: Mapping[str, Any] | None = None,
    *,
    documented: Any = _LIKE_THE_DEFAULT,
    shown_by: tuple[str, ...] = (),
) -> Any:
    """Declare a behaviour by its history; `changes` are by version, oldest first."""
    versions = {_version(version): value for version, value in (changes or {}).items()}
    assert list(versions) == sorted(versions)
    history = History(first, versions, None, shown_by)
    if documented is _LIKE_THE_DEFAULT:
        documented = history.at(_version(DEFAULT_CONTRACT), relaxed=False)
    return field(metadata={"history": History(first, versions, documented, shown_by)})


def _version(text: str) -> Version:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviours:
    """The choices of one contract. None means that the rule does not exist there."""

    relative_paths_are_resolved: bool = since(True, documented=False)
    """A path that does not begin with `/` is taken from the root; otherwise the call is refused."""
    read_expands_home: bool = since(
        False, {"2.1.14": True}, shown_by=("paths/tilde-read-existing", "paths/space-at-end")
    )
    """Read takes `~` for the home directory and cuts blanks around the path, as Edit and Write do everywhere."""
    working_directory_is_named: bool = since(
        False, {"2.1.51": True}, shown_by=("paths/missing-read", "paths/missing-edit")
    )
    """The refusal of a missing file tells the working directory."""
    trailing_blanks_are_cut: bool = since(True, documented=False)
    """Edit (of a file that exists) and Write cut the blanks before each line's end of what they insert."""
    line_endings_of_utf_16_are_seen: bool = since(False, documented=True)
    """The line endings of a UTF-16 file are found in its text; otherwise in its bytes, where there are none."""
    media_are_remembered: bool = since(False, documented=True)
    """A Read of an image or a PDF counts as a Read."""
    line_prefix: str = since(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    """What stands before a numbered line, as a format of its number."""
    default_line_limit: int | None = since(None, documented=2000)
    """Lines that Read returns when `limit` is not given."""
    line_width_limit: int | None = since(None, documented=2000)
    """Characters of each line that Read returns."""
    whole_reads_are_compared: bool = since(False, documented=True)
    """A Read without offset and limit is remembered as the whole file. Then a file that was only touched
    may be edited, because its content is compared."""
    remembered_files: int | None = since(10, documented=None)
    """How many files a session remembers."""
    changed_files_are_noticed: bool = since(True, documented=False)
    """After each message a file that is remembered whole and is newer on disk is read again. The model is told what
    changed in it, so the next Edit or Write goes through."""


def history_of(name: str) -> History:
    """Return the history of a behaviour. KeyError: there is none of that name."""
    histories: dict[str, History] = {each.name: each.metadata["history"] for each in fields(Behaviours)}
    return histories[name]


@lru_cache(maxsize=64)
def behaviours_of(contract: str | Behaviours) -> Behaviours:
    """Return the behaviours of a contract, or those given.

    A contract is `documented`, or any version from FIRST_VERSION to LAST_VERSION, published or not; from 2.1.208
    on also with `+gated`. ValueError: the reference does not know it.
    """
    if isinstance(contract, Behaviours):
        return contract
    histories: dict[str, History] = {each.name: each.metadata["history"] for each in fields(Behaviours)}
    if contract == DOCUMENTED:
        return Behaviours(**{name: history.documented for name, history in histories.items()})
    match = _NAME.fullmatch(contract)
    version = _version(contract.partition("+")[0]) if match else (0, 0, 0)
    gated = match is not None and match[4] is not None
    known = _version(FIRST_VERSION) <= version <= _version(LAST_VERSION)
    if not known or (gated and version < _RELAXED_SINCE):
        raise ValueError(
            f"unknown contract {contract!r}; the reference knows {DOCUMENTED}, the versions {FIRST_VERSION} to "
            f"{LAST_VERSION}, and with an older model 2.1.208+gated to {LAST_VERSION}+gated"
        )
    relaxed = version >= _RELAXED_SINCE and not gated
    return Behaviours(**{name: history.at(version, relaxed) for name, history in histories.items()})
