"""Diagnoses of the reference with any behaviours, in the whole sample and in a few scenarios."""

from collections.abc import Collection, Iterator, Sequence

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.behaviour_variants import BehaviourChange, values_of, with_changes
from readfirst.observatory.diagnosis.best_match import Diagnosis, Level, Observed, diagnosed
from readfirst.observatory.diagnosis.observation import reference_contracts, sample
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.reference_impl import DEFAULT_CONTRACT, behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

NAMED = {
    each.name: each
    for behaviour in behaviour_histories()
    for each in (BehaviourChange(behaviour, value) for value in values_of(behaviour))
}
"""Every change of one behaviour, by its name."""
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
"""Scenarios that distinguish some behaviours.

`edit-after-change` separates 2.1.208 from the versions before it, `edit-after-touch-of-own-edit` 2.1.7 from 2.0.76.
"""


class Clinic:
    """Diagnoses with the scenarios `ids`, with one memory of replays."""

    def __init__(self, ids: Collection[str], replays: Replays) -> None:
        self.ids, self.replays, self.suite = ids, replays, replays.suite

    def observed(self, *changes: str, version: str = DEFAULT_CONTRACT) -> dict[str, object]:
        behaviours = with_changes(behaviours_of(version), map(NAMED.__getitem__, changes))
        return {each: self.replays(each, behaviours).fingerprint for each in self.ids}

    def diagnosed(
        self, observed: Observed, level: Level = "effects", contracts: Sequence[str] | None = None
    ) -> Diagnosis:
        names = contracts or reference_contracts(self.suite)
        return diagnosed(self.replays, observed, names, self.ids, level)


@pytest.fixture(scope="session")
def replays() -> Iterator[Replays]:
    with Replays(Suite()) as replays:
        yield replays


@pytest.fixture(scope="session")
def full(replays: Replays) -> Clinic:
    """The sample of the suite."""
    return Clinic(sample(replays.suite, replays.suite.ids()), replays)


@pytest.fixture(scope="session")
def few(replays: Replays) -> Clinic:
    """A few scenarios of the suite."""
    return Clinic(FEW, replays)


def changes_of(found: Diagnosis) -> set[BehaviourChange]:
    return {each.change for each in found.differences}
