"""Return the behaviours of a version of the product, or of the documents. A rule uses `behaviours.<group>.<name>`; it
never checks a version. Each module of `reference_impl.behaviours` declares one group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any, get_type_hints

from readfirst.reference_impl.behaviours.answers import AnswerBehaviours, MediaBehaviours, ReadingBehaviours
from readfirst.reference_impl.behaviours.calls import (
    ArgumentBehaviours,
    CallBehaviours,
    PreparationBehaviours,
)
from readfirst.reference_impl.behaviours.changes import (
    EncodingBehaviours,
    MatchingBehaviours,
    SettingsBehaviours,
    WritingBehaviours,
)
from readfirst.reference_impl.behaviours.knowledge import (
    FreshnessBehaviours,
    MemoryBehaviours,
    ReminderBehaviours,
)
from readfirst.reference_impl.behaviours.notebooks import NotebookBehaviours
from readfirst.reference_impl.behaviours.paths import LookupBehaviours, PathBehaviours
from readfirst.reference_impl.behaviours.permissions import PermissionBehaviours
from readfirst.reference_impl.behaviours.sessions import CommandBehaviours, HookBehaviours, SessionBehaviours
from readfirst.reference_impl.behaviours.versioned import DEFAULT_CONTRACT, History, version_of

__all__ = [
    "DEFAULT_CONTRACT",
    "DOCUMENTED",
    "FIRST_VERSION",
    "LAST_VERSION",
    "Behaviours",
    "behaviour_groups",
    "behaviour_histories",
    "behaviours_of",
    "group_of",
    "history_of",
]

DOCUMENTED = "documented"
FIRST_VERSION = "0.2.126"
LAST_VERSION = "2.1.332"

_NAME = re.compile(r"(\d+)\.(\d+)\.(\d+)(\+gated)?")
_RELAXED_SINCE = (2, 1, 208)
"""First version whose default model may edit unread files. From this version on, `+gated` is used for older models."""


@dataclass(frozen=True, kw_only=True)
class Behaviours:
    """The values of all behaviours in one contract, in groups. Each name is unique among all groups."""

    calls: CallBehaviours
    arguments: ArgumentBehaviours
    preparation: PreparationBehaviours
    paths: PathBehaviours
    permissions: PermissionBehaviours
    lookup: LookupBehaviours
    freshness: FreshnessBehaviours
    matching: MatchingBehaviours
    settings: SettingsBehaviours
    encoding: EncodingBehaviours
    writing: WritingBehaviours
    answers: AnswerBehaviours
    reading: ReadingBehaviours
    media: MediaBehaviours
    notebooks: NotebookBehaviours
    memory: MemoryBehaviours
    reminders: ReminderBehaviours
    commands: CommandBehaviours
    hooks: HookBehaviours
    sessions: SessionBehaviours

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Behaviours:
        """Create an object from the values of all behaviours by name. `values` must contain every behaviour."""
        return cls(
            **{
                group: kind(**{name: values[name] for name in names})
                for group, kind, names in _group_members()
            }
        )

    def value(self, name: str) -> Any:
        """Return the value of a behaviour. Raises KeyError for an unknown name."""
        return getattr(getattr(self, group_of(name)), name)

    def changed(self, **values: Any) -> Behaviours:
        """Return a copy with different values of some behaviours. Raises KeyError for an unknown name."""
        by_group: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            by_group.setdefault(group_of(name), {})[name] = value
        return replace(
            self, **{group: replace(getattr(self, group), **changes) for group, changes in by_group.items()}
        )


@cache
def _group_members() -> Sequence[tuple[str, type, tuple[str, ...]]]:
    """Return a tuple for each group of behaviours: its name, its class, and the names of its behaviours."""
    kinds = get_type_hints(Behaviours)
    return [
        (each.name, kinds[each.name], tuple(one.name for one in fields(kinds[each.name])))
        for each in fields(Behaviours)
    ]


@cache
def behaviour_groups() -> Mapping[str, type]:
    """Return the classes of all groups of behaviours by the name of the group, in the order of `Behaviours`."""
    return {group: kind for group, kind, _ in _group_members()}


@cache
def _group_by_name() -> Mapping[str, str]:
    return {name: group for group, _, names in _group_members() for name in names}


def group_of(name: str) -> str:
    """Return the name of the group that contains a behaviour. Raises KeyError for an unknown behaviour."""
    return _group_by_name()[name]


@cache
def behaviour_histories() -> Mapping[str, History]:
    """Return the values of every behaviour in all versions, by the name of the behaviour."""
    return {each.name: each.metadata["history"] for _, kind, _ in _group_members() for each in fields(kind)}


def history_of(name: str) -> History:
    """Return the values of one behaviour in all versions. Raises KeyError for an unknown name."""
    return behaviour_histories()[name]


@lru_cache(maxsize=64)
def behaviours_of(contract: str | Behaviours) -> Behaviours:
    """Return the behaviours of a contract: `documented`, or any version from FIRST_VERSION to LAST_VERSION, from
    2.1.208 on also with `+gated`. Raises ValueError for an unknown contract.
    """
    if isinstance(contract, Behaviours):
        return contract
    if contract == DOCUMENTED:
        return Behaviours.of({name: history.documented for name, history in behaviour_histories().items()})
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
    return Behaviours.of(
        {name: history.at(version, relaxed) for name, history in behaviour_histories().items()}
    )
