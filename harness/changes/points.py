"""Points: between which recorded versions a scenario's answers changed, as exactly as the recordings tell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from packaging.version import Version

from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.releases import Releases
from readfirst.harness.suite.transcript import Recording, Transcript

__all__ = ["FIRST_RELAXED", "Point", "chain", "narrowest", "points"]

FIRST_RELAXED = "2.1.208"
"""From here on a version stands for two classes of models: `+gated` for the one that must read first."""


@dataclass(frozen=True, slots=True)
class Point:
    """A change after `before`, in `after` at the latest. `exact`: nothing was published between the two."""

    before: str
    after: str
    exact: bool

    def __str__(self) -> str:
        return (
            version_of(self.after) if self.exact else f"{version_of(self.before)} to {version_of(self.after)}"
        )


def version_of(name: str) -> str:
    """Return the version of a contract."""
    return name.partition("+")[0]


def chain(recording: Recording, *, gated: bool) -> list[str]:
    """Return what was recorded for one class of models, oldest first; versions before the classes are of both."""
    names = []
    for name in sorted(recording.transcripts, key=order):
        two_classes = Version(version_of(name)) >= Version(FIRST_RELAXED)
        if not two_classes or name.endswith("+gated") == gated:
            names.append(name)
    return names


def points(
    recording: Recording,
    names: Sequence[str],
    aspect: Callable[[Transcript], Hashable],
    releases: Releases,
) -> Iterator[Point]:
    """Yield where an aspect of the recorded answers changes along these names."""
    transcripts: Mapping[str, Transcript] = recording.transcripts
    for earlier, later in pairwise(names):
        if aspect(transcripts[earlier]) != aspect(transcripts[later]):
            exact = releases.follow(version_of(earlier), version_of(later))
            yield Point(earlier, later, exact)


def narrowest(found: Sequence[Point]) -> list[Point]:
    """Return the points, oldest first, without those that another one lies within."""
    distinct = sorted(set(found), key=lambda point: (order(point.after), order(point.before)))
    return [
        point for point in distinct if not any(other != point and _within(other, point) for other in distinct)
    ]


def _within(inner: Point, outer: Point) -> bool:
    return order(outer.before) <= order(inner.before) and order(inner.after) <= order(outer.after)
