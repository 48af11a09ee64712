"""Compare two implementations or versions in the scenarios that were run on both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from readfirst.harness.compare.level_reached import ScenarioResult, cell_of
from readfirst.harness.suite.harm_kinds import HARMS, KINDS, Kind


@dataclass(frozen=True, slots=True)
class CommonHarm:
    """Numbers of harmed scenarios, before and after, among the `sessions` that both sides ran.

    `counts` contains the same by kind.
    """

    sessions: int
    harmed: tuple[int, int]
    counts: Mapping[Kind, tuple[int, int]]

    @classmethod
    def of(
        cls,
        tried: tuple[Collection[str], Collection[str]],
        harmed: tuple[Mapping[Kind, Collection[str]], Mapping[Kind, Collection[str]]],
    ) -> CommonHarm:
        """Compare two sides, given the scenarios that each ran and the harmed scenarios by kind."""
        both = set(tried[0]) & set(tried[1])
        found = [{kind: both.intersection(side.get(kind, ())) for kind in KINDS} for side in harmed]
        any_: list[int] = [len(set().union(*(side[kind] for kind in HARMS))) for side in found]
        return cls(
            len(both),
            (any_[0], any_[1]),
            {kind: (len(found[0][kind]), len(found[1][kind])) for kind in KINDS},
        )

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> CommonHarm:
        """Create it from the value of `data`."""
        one, other = data["any"]
        counts: dict[Kind, tuple[int, int]] = {kind: tuple(each) for kind, each in data["counts"].items()}
        return cls(data["sessions"], (one, other), counts)

    def data(self) -> dict[str, Any]:
        """Return it in JSON types."""
        return {"sessions": self.sessions, "any": self.harmed, "counts": self.counts}


def common_cells(
    before: Mapping[str, Iterable[ScenarioResult]], after: Mapping[str, Iterable[ScenarioResult]]
) -> dict[str, dict[str, Any]]:
    """Return, for each rule with different results, the number of scenarios judged on both sides that hold on each
    side.

    `shortest` is the shortest scenario that fails afterwards.
    """
    found = {}
    for rule in before:
        one, other = (
            {each.scenario_id: each for each in side[rule] if each.holds is not None}
            for side in (before, after)
        )
        cells = [cell_of(side[name] for name in one.keys() & other.keys()) for side in (one, other)]
        if cells[0].holding != cells[1].holding:
            found[rule] = {
                "holding": [each.holding for each in cells],
                "judged": cells[0].judged,
                **({"shortest": cells[1].shortest} if cells[1].shortest else {}),
            }
    return found
