"""Standing: whether a rule holds for an implementation or a version, seen from its scenarios."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["STANDINGS", "Cell", "Seen", "Standing", "cell_of", "standing"]

Standing = Literal["yes", "partly", "no", "not claimed", "unknown"]
"""Whether a rule holds: in all of its scenarios that were judged, in some, in none.

`not claimed`: what all of them need is lacking. `unknown`: none of them was run, or nothing is said of them.
"""
STANDINGS: tuple[Standing, ...] = ("yes", "partly", "no", "not claimed", "unknown")


@dataclass(frozen=True, slots=True)
class Seen:
    """One scenario of a rule: whether it holds, None where it was not judged; `lacking`: because it is not claimed.

    `length` counts its given files and steps.
    """

    scenario_id: str
    length: int
    holds: bool | None
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One rule of one implementation or version. `shortest` is the shortest scenario that fails, empty for none.

    `scenarios` are all of the rule; `holding` of the `judged` hold. `since`, of a version: the first one of the row of
    versions up to it in which the same holds and fails.
    """

    standing: Standing
    scenarios: int
    judged: int
    holding: int
    shortest: str = ""
    since: str = ""


def standing(judged: int, holding: int, lacking: int) -> Standing:
    """Return the standing of a rule of which `holding` of `judged` scenarios hold, and `lacking` are not claimed."""
    if not judged:
        return "not claimed" if lacking else "unknown"
    if holding == judged:
        return "yes"
    return "partly" if holding else "no"


def cell_of(scenarios: Iterable[Seen]) -> Cell:
    """Return the cell of the scenarios of one rule."""
    seen = list(scenarios)
    judged = sum(each.holds is not None for each in seen)
    holding = sum(each.holds is True for each in seen)
    failing = [(each.length, each.scenario_id) for each in seen if each.holds is False]
    return Cell(
        standing(judged, holding, sum(each.lacking for each in seen)),
        len(seen),
        judged,
        holding,
        min(failing, default=(0, ""))[1],
    )
