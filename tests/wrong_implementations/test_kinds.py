"""Implementations of the other kinds of fault are caught, each by the scenario that is about its mistake."""

import altered
import pytest
import wrong_looks
import wrong_meetings
import wrong_surroundings
import wrong_thresholds
from test_crossings import is_caught

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

EVERY: dict[str, tuple[type[altered.Altered], str]] = {
    **wrong_looks.every(),
    **wrong_meetings.every(),
    **wrong_surroundings.every(),
    **wrong_thresholds.every(),
}
QUICK = [*EVERY][::3]


@rows("case", QUICK)
def test_a_wrong_implementation_is_caught_by_the_scenario_about_its_mistake(
    case: str, place: WorkspacePool
) -> None:
    assert is_caught(*EVERY[case], place) == ""


@pytest.mark.slow
@rows("case", [case for case in EVERY if case not in QUICK])
def test_so_is_every_other(case: str, place: WorkspacePool) -> None:
    assert is_caught(*EVERY[case], place) == ""
