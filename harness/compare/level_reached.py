"""Determine the level that a scenario reaches, and whether a rule holds in its scenarios."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.suite.rule_classes import RuleClass

Reach = Literal["nothing", "effects", "reason", "text", "error", "unsupported", "unspecified"]
"""The highest level that a scenario reaches, `nothing` if none, or the reason why it was not judged."""

TRIED: tuple[Reach, ...] = ("nothing", "effects", "reason", "text")
"""Values of `Reach` for scenarios that were replayed to their end."""

_KINDS: tuple[Reach, ...] = get_args(Reach)


def level_of(class_: RuleClass) -> Level:
    """Return the level at which rules of a class are judged: `text` for the class `wording`, otherwise `effects`."""
    return "text" if class_ == "wording" else "effects"


def reach_of(verdict: Verdict) -> Reach:
    """Return the highest level that a verdict reaches, without `verbatim`."""
    match verdict.status:
        case "error" | "unsupported" | "unspecified" as status:
            return status
    last: Reach = "nothing"
    for level in ("effects", "reason", "text"):
        if not verdict.levels.get(level, False):
            break
        last = level
    return last


def holds_at(reach: Reach, level: Level) -> bool | None:
    """Whether a scenario with this result holds at a level. None if it was not judged."""
    match reach:
        case "unsupported" | "unspecified":
            return None
        case "nothing" | "error":
            return False
        case _:
            return LEVELS.index(reach) >= LEVELS.index(level)


def pack_results(reaches: Mapping[str, Reach]) -> dict[str, dict[str, str]]:
    """Return the results of scenarios in a compact JSON form: for each result, its scenarios as `by_family` returns
    them.
    """
    found: dict[str, list[str]] = {}
    for scenario_id, reach in reaches.items():
        found.setdefault(reach, []).append(scenario_id)
    return {kind: by_family(found[kind]) for kind in _KINDS if kind in found}


def unpack_results(stored: Mapping[str, Mapping[str, str]]) -> dict[str, Reach]:
    """Invert `pack_results`. Raises ValueError for an unknown result."""
    found: dict[str, Reach] = {}
    for kind, families in stored.items():
        reach = next((each for each in _KINDS if each == kind), None)
        if reach is None:
            raise ValueError(f"{kind!r} does not say how far a scenario goes")
        found |= dict.fromkeys(in_families(families), reach)
    return found


def by_family(ids: Iterable[str]) -> dict[str, str]:
    """Return scenarios by family: for each family, the slugs of its scenarios in one string, separated by spaces."""
    found: dict[str, list[str]] = {}
    for scenario_id in sorted(ids):
        family, _, slug = scenario_id.partition("/")
        found.setdefault(family, []).append(slug)
    return {family: " ".join(slugs) for family, slugs in found.items()}


def in_families(stored: Mapping[str, str]) -> Iterator[str]:
    """Invert `by_family`: yield the ids of scenarios."""
    for family, slugs in stored.items():
        yield from (f"{family}/{slug}" for slug in slugs.split())


Standing = Literal["yes", "partly", "no", "not claimed", "unknown"]
"""Whether a rule holds: in all of its judged scenarios, in some, or in none.

`not claimed`: a capability that all of them need is missing. `unknown`: none was run, or none is specified.
"""
STANDINGS: tuple[Standing, ...] = get_args(Standing)


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of one scenario of a rule. `holds` is None if it was not judged; `lacking` means that a capability is
    missing. `length` is the number of given files and steps of the scenario.
    """

    scenario_id: str
    length: int
    holds: bool | None
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one rule for one implementation or version, with the numbers of its scenarios, of the judged ones,
    and of those that hold.

    `shortest` is the shortest failing scenario, or empty. `since`, for a version, is the version that introduced these
    results.
    """

    standing: Standing
    scenarios: int
    judged: int
    holding: int
    shortest: str = ""
    since: str = ""


def standing(judged: int, holding: int, lacking: int) -> Standing:
    """Return whether a rule holds, given the numbers of judged, holding and unsupported scenarios."""
    if not judged:
        return "not claimed" if lacking else "unknown"
    if holding == judged:
        return "yes"
    return "partly" if holding else "no"


def cell_of(scenarios: Iterable[ScenarioResult]) -> Cell:
    """Return the result of a rule, given the results of its scenarios."""
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
