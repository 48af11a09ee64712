"""Compress the answers of a step: each different answer is stored once, with the first version of each range that gives
it. Versions with older models (`+gated`) form separate ranges. Their first version inherits the answer of the version
before it.
"""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import TypeVar

from readfirst.harness.suite.contracts import contract_sort_key

_NO_ANSWER = object()
_Answer = TypeVar("_Answer")


def first_versions(names: tuple[str, ...], answers: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    """Group successive versions with equal answers. Return, by answer, the first version of each group."""
    starts: dict[Hashable, list[str]] = {}
    for track, before in _version_tracks(names):
        previous = answers[before] if before is not None else _NO_ANSWER
        for name in track:
            if answers[name] != previous:
                starts.setdefault(answers[name], []).append(name)
            previous = answers[name]
    return starts


def expand_ranges(names: tuple[str, ...], starts: Mapping[str, _Answer]) -> dict[str, _Answer]:
    """Return each version's answer. `starts` maps the first version of each range to its answer. Raises ValueError."""
    answers: dict[str, _Answer] = {}
    for track, before in _version_tracks(names):
        previous = answers[before] if before is not None else None
        for name in track:
            previous = starts.get(name, previous)
            if previous is None:
                raise ValueError(
                    f"there is no answer for {name}: add an answer with `since: {name}` or an earlier version"
                )
            answers[name] = previous
    if unknown := starts.keys() - answers.keys():
        raise ValueError(f"{min(unknown)} is not one of the recorded versions")
    return answers


@lru_cache(maxsize=64)
def _version_tracks(names: tuple[str, ...]) -> tuple[tuple[list[str], str | None], ...]:
    """Group versions by suffix (`+gated` or none). Return each group with the last version before it, or None."""
    tracks: dict[str, list[str]] = {"": []}
    for name in names:
        tracks.setdefault(name.partition("+")[2], []).append(name)
    plain = tracks[""]
    answers: list[tuple[list[str], str | None]] = []
    for variant, track in tracks.items():
        older = [
            name for name in plain if variant and contract_sort_key(name)[0] < contract_sort_key(track[0])[0]
        ]
        answers.append((track, older[-1] if older else None))
    return tuple(answers)
