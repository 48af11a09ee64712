"""Implementations that go wrong after an event of the session are caught, each by the scenario named for it."""

import altered
import pytest
import wrong_crossings as crossings
from new_harms import judged_with_harm

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

EVERY = crossings.every()


def is_caught(implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool) -> str:
    """Return why a scenario does not catch an implementation; empty if it does."""
    verdict, _ = judged_with_harm(implementation, scenario_id, place)
    if (verdict.status, verdict.blame) != ("failed", "implementation"):
        return f"{verdict.status} {verdict.blame} {verdict.reason}"
    return "only words differ" if verdict.levels["effects"] else ""


@rows("case", [*EVERY][::3])
def test_what_goes_wrong_after_an_event_is_caught(case: str, place: WorkspacePool) -> None:
    implementation, slug = EVERY[case]
    assert is_caught(implementation, f"crossings/{slug}", place) == ""


@pytest.mark.slow
@rows("case", [case for case in EVERY if case not in [*EVERY][::3]])
def test_so_is_all_else_that_goes_wrong_after_one(case: str, place: WorkspacePool) -> None:
    implementation, slug = EVERY[case]
    assert is_caught(implementation, f"crossings/{slug}", place) == ""


def test_every_event_meets_rules_and_files() -> None:
    assert len(EVERY) >= 80
    for event in crossings.EVENTS:
        assert sum(case.endswith(f", {event}") for case in EVERY) >= 6


class Raises(altered.Altered):
    """Fails itself, in a way that no implementation means."""

    def alter(self, *call: object) -> altered.ToolResult:
        raise KeyError(call)


def test_an_exception_of_the_helper_is_no_catch(place: WorkspacePool) -> None:
    assert is_caught(Raises, "crossings/shown-resume", place).startswith("broken")
