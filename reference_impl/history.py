"""History: how a behaviour was over time, declared by the versions that it changed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["DEFAULT_CONTRACT", "ByModel", "History", "Version", "since", "version_of"]

DEFAULT_CONTRACT = "2.1.7"

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
    """Declare a behaviour by its history; `changes` are by version, oldest first.

    `documented` is what the documents state, the value of the default contract where they state nothing.
    """
    versions = {version_of(version): value for version, value in (changes or {}).items()}
    assert list(versions) == sorted(versions)
    history = History(first, versions, None, shown_by)
    if documented is _LIKE_THE_DEFAULT:
        documented = history.at(version_of(DEFAULT_CONTRACT), relaxed=False)
    return field(metadata={"history": History(first, versions, documented, shown_by)})


def version_of(text: str) -> Version:
    """Return the numbers of a version that is three of them, for example `2.1.7`."""
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch
