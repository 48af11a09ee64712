"""Wrong implementations in tables are detected by the scenario about their mistake."""

from collections.abc import Mapping, Sequence

import altered
import pytest
import wrong_combinations
import wrong_contents
import wrong_crossings
import wrong_looks
import wrong_meetings
import wrong_names
import wrong_pairs
import wrong_surroundings
import wrong_thresholds
from new_harms import judge_with_harms

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

Table = Mapping[str, tuple[type[altered.Altered], str]]
"""By name, each with the scenario that detects it."""
FAMILIES = {wrong_contents: "opaque-content/", wrong_names: "opaque-content/", wrong_crossings: "crossings/"}
"""For modules whose tables contain only the second part of the id."""
HARMFUL = (wrong_contents, wrong_names)
"""Modules whose mistakes must also be found as harm."""
TABLES: dict[object, Table] = {
    module: {
        name: (kind, f"{FAMILIES.get(module, '')}{by}")
        for name, (kind, by) in module.implementations_by_name().items()
    }
    for module in (
        *FAMILIES,
        wrong_combinations,
        wrong_looks,
        wrong_meetings,
        wrong_pairs,
        wrong_surroundings,
        wrong_thresholds,
    )
}
QUICK = {wrong_contents: 24, wrong_crossings: 12, wrong_names: 6}
"""The quick tests check every Nth case of a module, by default every third."""

LONG = ("ReplacesAThousand",)
"""Only the slow tests check cases that take as long as ten others."""


def quick_and_slow_parts() -> list[object]:
    """Return parameters: a module and some of its cases. Each module has a quick and a slow part."""
    parts: list[object] = []
    for module, table in TABLES.items():
        quick = [case for case in [*table][:: QUICK.get(module, 3)] if case not in LONG]  # type: ignore[call-overload]
        others = [case for case in table if case not in quick]
        parts.append(pytest.param(module, quick, id=f"{module.__name__}-quick"))  # type: ignore[attr-defined]
        if others:
            parts.append(pytest.param(module, others, id=f"{module.__name__}-others", marks=pytest.mark.slow))  # type: ignore[attr-defined]
    return parts


def reason_undetected(
    kind: type[altered.Altered], scenario_id: str, place: WorkspacePool, *, harmful: bool
) -> str:
    """Return why a scenario does not detect an implementation, or an empty text. `harmful`: harm must be found, too."""
    verdict, harms = judge_with_harms(kind, scenario_id, place)
    if (verdict.status, verdict.blame) != ("failed", "implementation"):
        return f"{verdict.status} {verdict.blame} {verdict.reason}"
    if verdict.levels["effects"]:
        return "only texts differ"
    return "" if harms or not harmful else "no harm is found"


@pytest.mark.parametrize(("module", "cases"), quick_and_slow_parts())
def test_each_mistake_in_a_table_is_detected_by_the_scenario_about_it(
    module: object, cases: Sequence[str], place: WorkspacePool
) -> None:
    @rows("case", cases)
    def is_caught(case: str) -> None:
        kind, scenario_id = TABLES[module][case]
        assert reason_undetected(kind, scenario_id, place, harmful=module in HARMFUL) == ""

    is_caught()


def test_every_event_is_combined_with_at_least_six_settings_and_properties_of_files() -> None:
    crossings = TABLES[wrong_crossings]
    assert len(crossings) >= 80
    for event in wrong_crossings.EVENTS:
        assert sum(case.endswith(f", {event}") for case in crossings) >= 6


class Raises(altered.Altered):
    """An exception must not count as a detected mistake."""

    def alter(self, *call: object) -> altered.ToolResult:
        raise KeyError(call)


def test_an_implementation_that_raises_an_exception_or_is_correct_does_not_count_as_detected(
    place: WorkspacePool,
) -> None:
    assert reason_undetected(Raises, "crossings/shown-resume", place, harmful=False).startswith("error")
    assert reason_undetected(altered.Altered, "gate/edit-unread", place, harmful=True).startswith("passed")
