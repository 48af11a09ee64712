"""Harm: how much damage a failure does, so that reports show the worst first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from readfirst.harness.compare.verdict import LEVELS, Verdict
from readfirst.harness.suite.heading import REQUIREMENTS

__all__ = ["Harm", "Kind", "harm"]

_OF_FILES = ("file ", "path ", "mode of ", "time of ", "inode of ", "names of ")
"""What a difference that is about a file begins with."""


class Kind(IntEnum):
    """What went wrong at the level that fails, the worst first."""

    FILES = 0
    """Files are not what they must be, by a call that was answered."""
    BROKEN = 1
    """The replay ended early, so that nobody knows."""
    ALLOWED = 2
    """A call was answered that must be refused, and no file differs; above the level of effects: any difference."""
    REFUSED = 3
    """A call was refused that must not be: nothing is lost."""


@dataclass(frozen=True, slots=True, order=True)
class Harm:
    """What failures sort by, the worst first; the fields in the order in which they count.

    `level` and `requirement` are places in LEVELS and REQUIREMENTS. Of equal harm the shorter scenario, of `length`
    given files and steps, comes first: it is the easiest to look into.
    """

    level: int
    requirement: int
    kind: Kind
    length: int


def harm(verdict: Verdict) -> Harm:
    """Return the harm of a failed or broken verdict. A requirement that is not known counts as `must`."""
    broken = verdict.status == "broken"
    level = 0 if broken else _first_failing(verdict)
    requirement = 0 if verdict.requirement is None else REQUIREMENTS.index(verdict.requirement)
    return Harm(level, requirement, Kind.BROKEN if broken else _kind(verdict, level), verdict.length)


def _first_failing(verdict: Verdict) -> int:
    asked = LEVELS[: LEVELS.index(verdict.level) + 1]
    return next((at for at, level in enumerate(asked) if not verdict.levels.get(level, True)), len(asked) - 1)


def _kind(verdict: Verdict, level: int) -> Kind:
    """Return what the first step that differs at the level shows; what follows may follow from it."""
    found = [each for each in verdict.differences if each.level == LEVELS[level]]
    first = [each for each in found if each.step == found[0].step]
    if any(each.what == "refused" and each.expected == "not refused" for each in first):
        return Kind.REFUSED
    return Kind.FILES if any(each.what.startswith(_OF_FILES) for each in first) else Kind.ALLOWED
