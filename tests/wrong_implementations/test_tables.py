"""Wrong implementations from tables are detected, each by the scenario about its mistake."""

from collections.abc import Mapping, Sequence

import altered
import pytest
import wrong_contents
import wrong_crossings
import wrong_looks
import wrong_meetings
import wrong_names
import wrong_pairs
import wrong_surroundings
import wrong_thresholds
from new_harms import judged_with_harm

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

Table = Mapping[str, tuple[type[altered.Altered], str]]
FAMILIES = {wrong_contents: "opaque-content/", wrong_names: "opaque-content/", wrong_crossings: "crossings/"}
"""The family of the scenarios that a module names, for modules that name only the slugs."""
HARMFUL = (wrong_contents, wrong_names)
"""Modules whose mistakes are also detected if only harm is judged."""
TABLES: dict[object, Table] = {
    module: {name: (kind, f"{FAMILIES.get(module, '')}{by}") for name, (kind, by) in module.every().items()}
    for module in (*FAMILIES, wrong_looks, wrong_meetings, wrong_pairs, wrong_surroundings, wrong_thresholds)
}
QUICK = {wrong_contents: 12, wrong_crossings: 6}
"""The quick tests check one of this number of cases of a module, and one of three cases of other modules."""

LONG = ("ReplacesAThousand",)
"""Cases that are only in the slow tests, because each takes as long as ten others."""


def parts() -> list[object]:
    """Return the tables of cases as pytest parameters: a quick part and a slow part of each."""
    found: list[object] = []
    for module, table in TABLES.items():
        quick = [case for case in [*table][:: QUICK.get(module, 3)] if case not in LONG]  # type: ignore[call-overload]
        others = [case for case in table if case not in quick]
        found.append(pytest.param(module, quick, id=f"{module.__name__}-quick"))  # type: ignore[attr-defined]
        if others:
            found.append(pytest.param(module, others, id=f"{module.__name__}-others", marks=pytest.mark.slow))  # type: ignore[attr-defined]
    return found


def why_missed(kind: type[altered.Altered], scenario_id: str, place: WorkspacePool, *, harmful: bool) -> str:
    """Return the reason why a scenario does not detect an implementation. Empty if it does."""
    verdict, harms = judged_with_harm(kind, scenario_id, place)
    if (verdict.status, verdict.blame) != ("failed", "implementation"):
        return f"{verdict.status} {verdict.blame} {verdict.reason}"
    if verdict.levels["effects"]:
        return "only words differ"
    return "" if harms or not harmful else "no harm is found"


@pytest.mark.parametrize(("module", "cases"), parts())
def test_a_wrong_implementation_is_caught_by_the_scenario_about_its_mistake(
    module: object, cases: Sequence[str], place: WorkspacePool
) -> None:
    @rows("case", cases)
    def is_caught(case: str) -> None:
        kind, scenario_id = TABLES[module][case]
        assert why_missed(kind, scenario_id, place, harmful=module in HARMFUL) == ""

    is_caught()


def test_every_event_meets_rules_and_files() -> None:
    crossings = TABLES[wrong_crossings]
    assert len(crossings) >= 80
    for event in wrong_crossings.EVENTS:
        assert sum(case.endswith(f", {event}") for case in crossings) >= 6


class Raises(altered.Altered):
    """An implementation whose test must fail, because it raises an exception by accident."""

    def alter(self, *call: object) -> altered.ToolResult:
        raise KeyError(call)


def test_an_exception_of_the_helper_and_a_mistake_that_harms_nobody_are_no_catch(
    place: WorkspacePool,
) -> None:
    assert why_missed(Raises, "crossings/shown-resume", place, harmful=False).startswith("error")
    assert why_missed(altered.Altered, "gate/edit-unread", place, harmful=True).startswith("passed")
