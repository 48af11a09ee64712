"""Reach: how far each scenario of a survey went on a target, and whether a rule holds, seen from its scenarios."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.suite.rules import RuleClass

Reach = Literal["nothing", "effects", "reason", "text", "broken", "unsupported", "unspecified"]
"""The last level at which a scenario holds, `nothing` where none does; or why there is none."""

TRIED: tuple[Reach, ...] = ("nothing", "effects", "reason", "text")
"""How far a scenario went that was replayed to its end."""

_KINDS: tuple[Reach, ...] = get_args(Reach)


def level_of(class_: RuleClass) -> Level:
    """Return the level at which a rule is said to hold: the words of answers are what `fidelity` is about."""
    return "text" if class_ == "fidelity" else "effects"


def reach_of(verdict: Verdict) -> Reach:
    """Return how far a scenario went; `verbatim` is not looked at."""
    match verdict.status:
        case "broken" | "unsupported" | "unspecified" as status:
            return status
    last: Reach = "nothing"
    for level in ("effects", "reason", "text"):
        if not verdict.levels.get(level, False):
            break
        last = level
    return last


def holds_at(reach: Reach, level: Level) -> bool | None:
    """Whether a scenario that went so far holds at a level; None where it was not judged."""
    match reach:
        case "unsupported" | "unspecified":
            return None
        case "nothing" | "broken":
            return False
        case _:
            return LEVELS.index(reach) >= LEVELS.index(level)


def packed(reaches: Mapping[str, Reach]) -> dict[str, dict[str, str]]:
    """Return scenarios as JSON holds them: by reach, and then as `by_family` has them."""
    found: dict[str, list[str]] = {}
    for scenario_id, reach in reaches.items():
        found.setdefault(reach, []).append(scenario_id)
    return {kind: by_family(found[kind]) for kind in _KINDS if kind in found}


def unpacked(stored: Mapping[str, Mapping[str, str]]) -> dict[str, Reach]:
    """Return what `packed` was given. Raises ValueError for a reach that is none."""
    found: dict[str, Reach] = {}
    for kind, families in stored.items():
        reach = next((each for each in _KINDS if each == kind), None)
        if reach is None:
            raise ValueError(f"{kind!r} does not say how far a scenario goes")
        found |= dict.fromkeys(in_families(families), reach)
    return found


def by_family(ids: Iterable[str]) -> dict[str, str]:
    """Return scenarios by family, their last names in one string, parted by spaces."""
    found: dict[str, list[str]] = {}
    for scenario_id in sorted(ids):
        family, _, slug = scenario_id.partition("/")
        found.setdefault(family, []).append(slug)
    return {family: " ".join(slugs) for family, slugs in found.items()}


def in_families(stored: Mapping[str, str]) -> Iterator[str]:
    """Yield the scenarios that `by_family` was given."""
    for family, slugs in stored.items():
        yield from (f"{family}/{slug}" for slug in slugs.split())


Standing = Literal["yes", "partly", "no", "not claimed", "unknown"]
"""Whether a rule holds: in all of its scenarios that were judged, in some, in none.

`not claimed`: what all of them need is lacking. `unknown`: none of them was run, or nothing is said of them.
"""
STANDINGS: tuple[Standing, ...] = get_args(Standing)


@dataclass(frozen=True, slots=True)
class ScenarioResult:
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


def cell_of(scenarios: Iterable[ScenarioResult]) -> Cell:
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
