"""Determine the highest level that a scenario reaches, and whether a rule holds, for tables of results."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.suite.rule_classes import RuleClass

Reach = Literal["nothing", "effects", "reason", "text", "error", "unsupported", "unspecified"]
"""The highest level that a scenario reaches (`nothing` if it reaches none), or the reason why it was not judged."""


def level_of(class_: RuleClass) -> Level:
    """Return the level that tables use to judge rules of a class: `text` for `wording`, otherwise `effects`."""
    return "text" if class_ == "wording" else "effects"


def reach_of(verdict: Verdict) -> Reach:
    """Return the highest level that a scenario reached, except `verbatim`, or the reason why it was not judged."""
    match verdict.status:
        case "error" | "unsupported" | "unspecified" as status:
            return status
    last: Reach = "nothing"
    for level in ("effects", "reason", "text"):
        if not verdict.levels.get(level, False):
            break
        last = level
    return last


def reach_holds_at(reach: Reach, level: Level) -> bool | None:
    """Whether a scenario with the result `reach` holds at a level. None if the scenario was not judged."""
    match reach:
        case "unsupported" | "unspecified":
            return None
        case "nothing" | "error":
            return False
        case _:
            return LEVELS.index(reach) >= LEVELS.index(level)


Standing = Literal["yes", "partly", "no", "not claimed", "unknown"]
"""Whether a rule holds in all its judged scenarios (`yes`), in some (`partly`), or in none (`no`). `not claimed`: all
its scenarios need a missing capability. `unknown`: none was judged.
"""


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of one scenario of a rule. `holds` is None for an unjudged scenario. `lacking` means that a
    capability is missing. `length` is the number of files and steps of the scenario.
    """

    scenario_id: str
    length: int
    holds: bool | None
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of a rule for one implementation or version, with numbers of scenarios. `shortest` is the id of the
    shortest failing scenario, or empty. The results are the same since version `since`.
    """

    standing: Standing
    scenarios: int
    judged: int
    holding: int
    shortest: str = ""
    since: str = ""


def standing(judged: int, holding: int, lacking: int) -> Standing:
    """Return whether a rule holds. `judged`, `holding` and `lacking` (a capability) are numbers of scenarios."""
    if not judged:
        return "not claimed" if lacking else "unknown"
    if holding == judged:
        return "yes"
    return "partly" if holding else "no"


def cell_of(scenarios: Iterable[ScenarioResult]) -> Cell:
    """Compute the cell of a rule in a table from the results of its scenarios."""
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
