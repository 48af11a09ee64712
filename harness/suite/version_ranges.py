"""Compress a step's answers by version into "since version X". Older models inherit from the version before."""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import TypeVar

from readfirst.harness.suite.contracts import order

_NONE = object()
_Answer = TypeVar("_Answer")


def starts_of(names: tuple[str, ...], answers: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    """Return, for each answer, the versions that introduced it: the version before has a different answer."""
    starts: dict[Hashable, list[str]] = {}
    for track, before in _tracks_of(names):
        former = answers[before] if before is not None else _NONE
        for name in track:
            if answers[name] != former:
                starts.setdefault(answers[name], []).append(name)
            former = answers[name]
    return starts


def holding(names: tuple[str, ...], starts: Mapping[str, _Answer]) -> dict[str, _Answer]:
    """Return the answer of each version, given the first version of each answer. Raises ValueError."""
    found: dict[str, _Answer] = {}
    for track, before in _tracks_of(names):
        former = found[before] if before is not None else None
        for name in track:
            former = starts.get(name, former)
            if former is None:
                raise ValueError(f"{name} has no answer: neither this version nor an earlier one states one")
            found[name] = former
    if unknown := starts.keys() - found.keys():
        raise ValueError(f"{min(unknown)} is not one of the recorded versions")
    return found


@lru_cache(maxsize=64)
def _tracks_of(names: tuple[str, ...]) -> tuple[tuple[list[str], str | None], ...]:
    """Return each class of models: the version before its first one, or None, and its versions, oldest first."""
    tracks: dict[str, list[str]] = {"": []}
    for name in names:
        tracks.setdefault(name.partition("+")[2], []).append(name)
    plain = tracks[""]
    found: list[tuple[list[str], str | None]] = []
    for variant, track in tracks.items():
        older = [name for name in plain if variant and order(name)[0] < order(track[0])[0]]
        found.append((track, older[-1] if older else None))
    return tuple(found)
