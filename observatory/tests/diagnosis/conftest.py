"""What the tests of diagnoses share: the table, cut down to a few families, and the reference with any behaviours."""

from collections.abc import Iterator

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.alternatives import BehaviourChange, named, with_changes
from readfirst.observatory.diagnosis.replays import Replays
from readfirst.observatory.diagnosis.search import Diagnosis, Level, Observed, diagnosed
from readfirst.observatory.diagnosis.table import BASE, Table, contracts
from readfirst.reference_impl import behaviours_of

FEW = ("gate/", "staleness/edit-after-touch", "line-endings/write", "arguments/read-offset")
"""Scenarios that are replayed in a moment, and tell some behaviours apart."""


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
        yield Clinic(Table.read(), replays, suite)


@pytest.fixture(scope="session")
def few() -> Iterator[Clinic]:
    """A few scenarios of the suite."""
    suite, table = Suite(), Table.read()
    rows = {name: row for name, row in table.rows.items() if name.startswith(FEW)}
    with Replays(suite) as replays:
        yield Clinic(Table(table.reference, rows), replays, suite)


def changes_of(found: Diagnosis) -> set[BehaviourChange]:
    return {each.change for each in found.differences}
