"""The history of the behaviours: every change shows in the scenarios that it points to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.record.transcribe import transcribe
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.reference_impl import DEFAULT_CONTRACT, Behaviours, behaviours_of
from readfirst.reference_impl.behaviours.versioned import ByModel, Version
from readfirst.reference_impl.behaviours_by_version import behaviour_histories, history_of

SUITE = Suite()
TEMPORARY = re.compile(r"\.tmp\.[0-9]+\.[0-9a-f]+")
MODEL_MATTERS_SINCE = (2, 1, 208)
PARTS = 16
"""The changes are divided, so that processes share the work; the quick tests take the first part."""


@dataclass(frozen=True)
class Change:
    """A behaviour that had another value before a version."""

    name: str
    version: Version
    before: object
    after: object

    def __str__(self) -> str:
        return f"{self.name}-{'.'.join(map(str, self.version))}"

    def bases(self) -> Iterator[tuple[Behaviours, object]]:
        """Yield behaviours after the change, at once and as first recorded, and the value before it."""
        recorded = sorted(each for each in recorded_versions() if each >= self.version)
        for version in dict.fromkeys([self.version, *recorded[:1]]):
            for model in ("", "+gated") if version >= MODEL_MATTERS_SINCE else ("",):
                base = behaviours_of(".".join(map(str, version)) + model)
                relaxed = version >= MODEL_MATTERS_SINCE and not model
                if base.value(self.name) == of_model(self.after, relaxed=relaxed):
                    yield base, of_model(self.before, relaxed=relaxed)


def of_model(value: object, *, relaxed: bool) -> object:
    if not isinstance(value, ByModel):
        return value
    return value.relaxed if relaxed else value.enforced


def recorded_versions() -> set[Version]:
    names = [contract.version for contract in SUITE.contracts if contract.recorded]
    return {tuple(map(int, name.split("."))) for name in names}  # type: ignore[misc]


def changes() -> Iterator[Change]:
    for name in behaviour_histories():
        history = history_of(name)
        before = history.first
        for version, after in history.changes.items():
            yield Change(name, version, before, after)
            before = after


def answers(scenario_id: str, behaviours: Behaviours, place: WorkspacePool) -> str:
    """Return what the reference does with a scenario: answers and changes on disk."""
    scenario = SUITE.scenario(scenario_id)
    outcome = replay(scenario, ReferenceAdapter(behaviours), place)
    assert outcome.broken is None, outcome.broken
    steps = transcribe(scenario, outcome, SUITE.vocabulary).steps
    return TEMPORARY.sub(
        ".tmp", repr([(step.results, step.reminders, step.changes, step.created) for step in steps])
    )


def test_a_behaviour_that_no_version_changed_shows_in_a_scenario_that_it_points_to(
    place: WorkspacePool,
) -> None:
    constant = dict(behaviour_histories())
    constant = {name: history for name, history in constant.items() if not history.changes}
    assert constant
    base = behaviours_of(DEFAULT_CONTRACT)
    for name, history in constant.items():
        other = base.changed(**{name: history.documented})
        assert any(answers(each, base, place) != answers(each, other, place) for each in history.shown_by), (
            name
        )


def shows(change: Change, place: WorkspacePool) -> bool:
    return any(
        answers(scenario_id, base, place)
        != answers(scenario_id, base.changed(**{change.name: before}), place)
        for scenario_id in history_of(change.name).shown_by
        for base, before in change.bases()
    )


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))]
)
def test_a_change_shows_in_a_scenario_that_it_points_to(part: int, place: WorkspacePool) -> None:
    some = list(changes())[part::PARTS]
    assert some
    assert [str(change) for change in some if not shows(change, place)] == []


def test_a_change_that_nothing_shows_is_noticed(place: WorkspacePool) -> None:
    change = next(changes())
    assert not shows(replace(change, before=change.after), place)
