"""Worst: what failures sort by, so that reports show first what does most harm."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.harness.compare.verdict import Verdict, up_to
from readfirst.harness.suite.harm_kinds import BESIDE, HARMS
from readfirst.harness.suite.heading import REQUIREMENTS

_BROKEN = "broken"
_MADE = "crossed/"
_ORDER = (*HARMS, _BROKEN, *BESIDE)
"""What went wrong, the worst first; of a replay that ended early nobody knows."""


@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """What failures sort by, the worst first; the fields in the order in which they count.

    `level`, `requirement` and `kind` are places in LEVELS, REQUIREMENTS and the kinds of harm. Of equal harm one that a
    person wrote comes before one that was made, and the shorter, of `length` given files and steps, before the longer:
    it is the easiest to look into.
    """

    level: int
    requirement: int
    kind: int
    made: bool
    length: int


def worst(verdict: Verdict) -> Worst:
    """Return where a failed or broken verdict stands. A requirement that is not known counts as `must`."""
    broken = verdict.status == _BROKEN
    requirement = 0 if verdict.requirement is None else REQUIREMENTS.index(verdict.requirement)
    kinds = [_BROKEN] if broken else [harm.kind for harm in verdict.harms]
    kind = min(map(_ORDER.index, kinds), default=len(_ORDER))
    level = 0 if broken else _first_failing(verdict)
    return Worst(level, requirement, kind, is_made(verdict.scenario_id), verdict.length)


def is_made(scenario_id: str) -> bool:
    """Whether a program made the scenario from dimensions; its files are long and its names say little."""
    return scenario_id.startswith(_MADE)


def _first_failing(verdict: Verdict) -> int:
    asked = up_to(verdict.level)
    return next((at for at, level in enumerate(asked) if not verdict.levels.get(level, True)), len(asked) - 1)
