"""Compress the answers of a step by version: each is stored with the versions since which it is given.

Versions with older models (`+gated`) form a separate track. It starts with the answer of the version before its first.
"""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import TypeVar

from readfirst.harness.suite.contracts import order

_NO_ANSWER = object()
_Answer = TypeVar("_Answer")


def first_versions(names: tuple[str, ...], answers: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    """Return, for each answer, the versions that introduced it, after a version with a different answer."""
    starts: dict[Hashable, list[str]] = {}
    for track, before in _version_tracks(names):
        previous = answers[before] if before is not None else _NO_ANSWER
        for name in track:
            if answers[name] != previous:
                starts.setdefault(answers[name], []).append(name)
            previous = answers[name]
    return starts


def expand_ranges(names: tuple[str, ...], starts: Mapping[str, _Answer]) -> dict[str, _Answer]:
    """Return the answer of each version, from the first version of each answer (`starts`). Raises ValueError."""
    answers: dict[str, _Answer] = {}
    for track, before in _version_tracks(names):
        previous = answers[before] if before is not None else None
        for name in track:
            previous = starts.get(name, previous)
            if previous is None:
                raise ValueError(f"{name} has no answer: neither this version nor an earlier one states one")
            answers[name] = previous
    if unknown := starts.keys() - answers.keys():
        raise ValueError(f"{min(unknown)} is not one of the recorded versions")
    return answers


@lru_cache(maxsize=64)
def _version_tracks(names: tuple[str, ...]) -> tuple[tuple[list[str], str | None], ...]:
    """Return the tracks: their versions, oldest first, and the version before the first one, or None."""
    tracks: dict[str, list[str]] = {"": []}
    for name in names:
        tracks.setdefault(name.partition("+")[2], []).append(name)
    plain = tracks[""]
    answers: list[tuple[list[str], str | None]] = []
    for variant, track in tracks.items():
        older = [name for name in plain if variant and order(name)[0] < order(track[0])[0]]
        answers.append((track, older[-1] if older else None))
    return tuple(answers)
