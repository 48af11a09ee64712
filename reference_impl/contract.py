"""What differs between contracts: the behaviours of each, chosen by its name.

A rule asks `behaviours.<name>`; it never asks for a version. The modules of `reference_impl.behaviours` declare them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache

from readfirst.reference_impl.behaviours.calls import CallBehaviours
from readfirst.reference_impl.behaviours.commands import CommandBehaviours
from readfirst.reference_impl.behaviours.freshness import FreshnessBehaviours
from readfirst.reference_impl.behaviours.history import DEFAULT_CONTRACT, History, version_of
from readfirst.reference_impl.behaviours.hooks import HookBehaviours
from readfirst.reference_impl.behaviours.life import LifeBehaviours
from readfirst.reference_impl.behaviours.media import MediaBehaviours
from readfirst.reference_impl.behaviours.notebooks import NotebookBehaviours
from readfirst.reference_impl.behaviours.paths import PathBehaviours
from readfirst.reference_impl.behaviours.permissions import PermissionBehaviours
from readfirst.reference_impl.behaviours.reading import ReadBehaviours
from readfirst.reference_impl.behaviours.settings import SettingsBehaviours
from readfirst.reference_impl.behaviours.text import TextBehaviours
from readfirst.reference_impl.behaviours.writing import WriteBehaviours

__all__ = [
    "DEFAULT_CONTRACT",
    "DOCUMENTED",
    "FIRST_VERSION",
    "LAST_VERSION",
    "Behaviours",
    "behaviours_of",
    "histories",
    "history_of",
]

DOCUMENTED = "documented"
FIRST_VERSION = "0.2.126"
LAST_VERSION = "2.1.330"

_NAME = re.compile(r"(\d+)\.(\d+)\.(\d+)(\+gated)?")
_RELAXED_SINCE = (2, 1, 208)
"""From here on newer models may edit what they have not read; `+gated` is a version with an older model."""


@dataclass(frozen=True, kw_only=True)
class Behaviours(
    CallBehaviours,
    PermissionBehaviours,
    PathBehaviours,
    ReadBehaviours,
    MediaBehaviours,
    NotebookBehaviours,
    FreshnessBehaviours,
    LifeBehaviours,
    TextBehaviours,
    SettingsBehaviours,
    WriteBehaviours,
    CommandBehaviours,
    HookBehaviours,
):
    """The choices of one contract. None means that the rule does not exist there."""


@cache
def histories() -> Mapping[str, History]:
    """Return the history of every behaviour, by name."""
    return {each.name: each.metadata["history"] for each in fields(Behaviours)}


def history_of(name: str) -> History:
    """Return the history of a behaviour. KeyError: there is none of that name."""
    return histories()[name]


@lru_cache(maxsize=64)
def behaviours_of(contract: str | Behaviours) -> Behaviours:
    """Return the behaviours of a contract, or those given.

    A contract is `documented`, or any version from FIRST_VERSION to LAST_VERSION, published or not; from 2.1.208
    on also with `+gated`. ValueError: the reference does not know it.
    """
    if isinstance(contract, Behaviours):
        return contract
    if contract == DOCUMENTED:
        return Behaviours(**{name: history.documented for name, history in histories().items()})
    match = _NAME.fullmatch(contract)
    version = version_of(contract.partition("+")[0]) if match else (0, 0, 0)
    gated = match is not None and match[4] is not None
    known = version_of(FIRST_VERSION) <= version <= version_of(LAST_VERSION)
    if not known or (gated and version < _RELAXED_SINCE):
        raise ValueError(
            f"unknown contract {contract!r}; the reference knows {DOCUMENTED}, the versions {FIRST_VERSION} to "
            f"{LAST_VERSION}, and with an older model 2.1.208+gated to {LAST_VERSION}+gated"
        )
    relaxed = version >= _RELAXED_SINCE and not gated
    return Behaviours(**{name: history.at(version, relaxed) for name, history in histories().items()})
