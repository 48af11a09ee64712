"""The results of scenarios as docs/implementations.json stores them: by result and family."""

from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from readfirst.harness.compare.level_reached import Reach

JUDGED_REACHES: tuple[Reach, ...] = ("nothing", "effects", "reason", "text")
"""The results of fully replayed and judged scenarios: the last level that they passed, or `nothing`."""

_KINDS: tuple[Reach, ...] = get_args(Reach)


def pack_results(reaches: Mapping[str, Reach]) -> dict[str, dict[str, str]]:
    """Return results in a compact form: scenario ids (see `by_family`) by result, such as the passed level `text`."""
    found: dict[str, list[str]] = {}
    for scenario_id, reach in reaches.items():
        found.setdefault(reach, []).append(scenario_id)
    return {kind: by_family(found[kind]) for kind in _KINDS if kind in found}


def unpack_results(stored: Mapping[str, Mapping[str, str]]) -> dict[str, Reach]:
    """Return the result of each scenario from the form of `pack_results`. Raises ValueError for an unknown result."""
    found: dict[str, Reach] = {}
    for kind, families in stored.items():
        reach = next((each for each in _KINDS if each == kind), None)
        if reach is None:
            raise ValueError(f"{kind!r} is not a known result of a scenario")
        found |= dict.fromkeys(in_families(families), reach)
    return found


def by_family(ids: Iterable[str]) -> dict[str, str]:
    """Return the ids of scenarios in a compact form: for each family, the last parts of its ids, joined by spaces."""
    found: dict[str, list[str]] = {}
    for scenario_id in sorted(ids):
        family, _, slug = scenario_id.partition("/")
        found.setdefault(family, []).append(slug)
    return {family: " ".join(slugs) for family, slugs in found.items()}


def in_families(stored: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of scenarios from the compact form that `by_family` returns."""
    for family, slugs in stored.items():
        yield from (f"{family}/{slug}" for slug in slugs.split())
