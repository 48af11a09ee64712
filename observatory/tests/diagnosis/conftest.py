"""A table of a few scenarios, and the reference with any behaviours."""

from collections.abc import Iterator

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.behaviour_variants import BehaviourChange, named, with_changes
from readfirst.observatory.diagnosis.best_match import Diagnosis, Level, Observed, diagnosed
from readfirst.observatory.diagnosis.lookup_table import (
    BASE,
    Table,
    contracts,
    reference_digest,
    row_of,
    up_to_date,
)
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.reference_impl import behaviours_of

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
"""Scenarios that distinguish some behaviours. Their table is computed in seconds.

`edit-after-change` separates 2.1.208 from the versions before it, `edit-after-touch-of-own-edit` 2.1.7 from 2.0.76.
"""


class Clinic:
    """Diagnoses from a table, with one memory of replays."""

    def __init__(self, table: Table, replays: Replays, suite: Suite) -> None:
        self.table, self.replays, self.suite = table, replays, suite

    def observed(self, *changes: str, version: str = BASE) -> dict[str, object]:
        behaviours = with_changes(behaviours_of(version), map(named, changes))
        return {each: self.replays(each, behaviours).fingerprint for each in self.table.rows}

    def diagnosed(self, observed: Observed, level: Level = "effects", candidates=None) -> Diagnosis:
        names = contracts(self.suite)
        return diagnosed(self.table, self.replays, observed, level, candidates, names)


@pytest.fixture(scope="session")
def full() -> Iterator[Clinic]:
    """All of the suite."""
    suite = Suite()
    with Replays(suite) as replays:
        yield Clinic(up_to_date(suite, 2), replays, suite)


@pytest.fixture(scope="session")
def few() -> Iterator[Clinic]:
    """A few scenarios of the suite."""
    suite = Suite()
    with Replays(suite) as replays:
        rows = {name: row_of(suite, replays, name) for name in FEW}
        yield Clinic(Table(reference_digest(), rows), replays, suite)


def changes_of(found: Diagnosis) -> set[BehaviourChange]:
    return {each.change for each in found.differences}
