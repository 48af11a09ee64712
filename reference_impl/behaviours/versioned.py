"""Declare behaviours and groups of behaviours: the meaning, the source, and the value in each version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from itertools import pairwise
from typing import Any, dataclass_transform

__all__ = [
    "DEFAULT_CONTRACT",
    "RECORDED",
    "ByModel",
    "Group",
    "History",
    "Version",
    "behaviour",
    "version_of",
]

DEFAULT_CONTRACT = "2.1.7"
RECORDED = "recorded"
"""The `source` of a behaviour that no published description of Claude Code states, but recordings show."""

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ByModel:
    """A value that depends on the model: `enforced` if the model must read before an Edit, `relaxed` otherwise."""

    enforced: Any
    relaxed: Any


@dataclass(frozen=True, slots=True)
class History:
    """The values of a behaviour in all versions: `first` in the oldest version, and later values by version
    (`changes`).
    """

    first: Any
    changes: Mapping[Version, Any]
    # the value in the published descriptions of Claude Code
    documented: Any
    # scenarios that show the behaviour and every change
    shown_by: tuple[str, ...]
    meaning: str
    # the descriptions that state the behaviour, with sections, or RECORDED
    source: str

    def at(self, version: Version, relaxed: bool) -> Any:
        """Return the value in a version. `relaxed` selects the value for models that may edit unread files."""
        value = self.first
        for since, later in self.changes.items():
            if since <= version:
                value = later
        if isinstance(value, ByModel):
            return value.relaxed if relaxed else value.enforced
        return value


_LIKE_THE_DEFAULT = object()


def behaviour(
    first: Any,
    changes: Mapping[str, Any] | None = None,
    *,
    documented: Any = _LIKE_THE_DEFAULT,
    meaning: str,
    source: str = RECORDED,
    shown_by: tuple[str, ...] = (),
) -> Any:
    """Declare a behaviour by its History. `changes` maps versions, the oldest first, to new values. `documented` is by
    default the value in the default contract.
    """
    versions = {version_of(version): value for version, value in (changes or {}).items()}
    history = History(first, versions, documented, shown_by, meaning, source)
    if documented is _LIKE_THE_DEFAULT:
        history = replace(history, documented=history.at(version_of(DEFAULT_CONTRACT), relaxed=False))
    _check_history(history)
    return field(metadata={"history": history})


def _check_history(history: History) -> None:
    """Raise AssertionError if versions are not in order, a change keeps the value, or only some values are booleans."""
    assert list(history.changes) == sorted(history.changes), "the oldest change comes first"
    values = [history.first, *history.changes.values()]
    assert all(new != old for old, new in pairwise(values)), "each change changes something"
    values += [history.documented]
    values = [one for value in values for one in _by_models(value)]
    kinds = {isinstance(value, bool) for value in values}
    assert len(kinds) == 1, f"either all of these are yes or no, or none is: {values}"


def _by_models(value: Any) -> tuple[Any, ...]:
    return (value.enforced, value.relaxed) if isinstance(value, ByModel) else (value,)


def version_of(text: str) -> Version:
    """Parse a version such as `2.1.7`, and return its three numbers."""
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(behaviour,))
class Group:
    """Base class of groups of behaviours: an immutable object with the values of the behaviours in one contract."""

    # Not a frozen dataclass: compiling the methods of twenty dataclasses took a quarter of the import time.
    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **values: Any) -> None:
        """Set the value of every behaviour of the group, by name. Raises TypeError for a missing or unknown name."""
        names = [each.name for each in fields(self)]  # type: ignore[arg-type] # every class below this one is one
        if values.keys() != set(names):
            wrong = ", ".join(sorted(values.keys() ^ set(names)))
            raise TypeError(f"{type(self).__name__} lacks or does not know: {wrong}")
        vars(self).update((name, values[name]) for name in names)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )
