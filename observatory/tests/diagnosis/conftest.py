"""Fixtures that diagnose the reference with changed behaviours, in the complete sample of scenarios or in a few."""

from collections.abc import Collection, Iterator, Sequence

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.behaviour_variants import BehaviourChange, all_values, change_behaviours
from readfirst.observatory.diagnosis.best_match import Diagnosis, Level, Observed, find_diagnosis
from readfirst.observatory.diagnosis.observation import reference_contracts, search_sample
from readfirst.observatory.diagnosis.replay_cache import ReplayCache
from readfirst.reference_impl import DEFAULT_CONTRACT, behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

NAMED = {
    each.name: each
    for behaviour in behaviour_histories()
    for each in (BehaviourChange(behaviour, value) for value in all_values(behaviour))
}
"""A change for each behaviour and each of its values, by name such as `edit_needs_read=false`."""
FEW = (
    "arguments/read-offset-negative",
    "gate/edit-after-read",
    "gate/edit-unread",
    "gate/write-after-read",
    "gate/write-unread",
    "staleness/edit-after-change",
    "staleness/edit-after-touch-of-own-edit",
    "staleness/edit-after-touch-offset-only",
)
"""A few scenarios for quick tests. Their results differ between versions: `edit-after-change` since 2.1.208,
`edit-after-touch-of-own-edit` since 2.1.7.
"""


class Clinic:
    """Diagnoses the reference with some changed behaviours, using the scenarios `ids`. Replays are cached."""

    def __init__(self, ids: Collection[str], replays: ReplayCache) -> None:
        self.ids, self.replays, self.suite = ids, replays, replays.suite

    def observe(self, *changes: str, version: str = DEFAULT_CONTRACT) -> dict[str, object]:
        behaviours = change_behaviours(behaviours_of(version), map(NAMED.__getitem__, changes))
        return {each: self.replays(each, behaviours).fingerprint for each in self.ids}

    def diagnose(
        self, observed: Observed, level: Level = "effects", contracts: Sequence[str] | None = None
    ) -> Diagnosis:
        names = contracts or reference_contracts(self.suite)
        return find_diagnosis(self.replays, observed, names, self.ids, level)


@pytest.fixture(scope="session")
def replays() -> Iterator[ReplayCache]:
    with ReplayCache(Suite()) as replays:
        yield replays


@pytest.fixture(scope="session")
def full(replays: ReplayCache) -> Clinic:
    """A Clinic that uses the same scenarios as `readfirst diagnose`."""
    return Clinic(search_sample(replays.suite, replays.suite.ids()), replays)


@pytest.fixture(scope="session")
def few(replays: ReplayCache) -> Clinic:
    """A Clinic that uses only the scenarios in FEW, for quick tests."""
    return Clinic(FEW, replays)


def changes_of(found: Diagnosis) -> set[BehaviourChange]:
    return {each.change for each in found.differences}
