"""Table of the reference's results in a sample of the scenarios, by contract and with one behaviour changed.

It depends on the reference and the scenarios alone. It is made on first use, in up to three minutes, and kept in the
user's cache. A diagnosis begins with it, and replays every result that it reports.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

from readfirst import reference_impl
from readfirst.harness.run.job_count import jobs_for
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.json_file import KeptError, reading
from readfirst.observatory.diagnosis.behaviour_variants import alternatives, with_changes
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, Fingerprint
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.reference_impl import DEFAULT_CONTRACT, behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

BASE = DEFAULT_CONTRACT
"""The version in which one behaviour at a time is changed."""
MOST_ROWS = 450
"""Scenarios of a suite up to which all of them are in its table."""
_FORMAT = 2
_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario. `digest` is that of its file.

    `contracts` has what the reference does in a contract, wherever that is another thing than in the one before;
    `changed` has what it does in the base with one behaviour changed, where that is another thing.
    """

    digest: str
    contracts: Mapping[str, Fingerprint]
    changed: Mapping[str, Fingerprint]

    def in_contracts(self, names: Sequence[str]) -> dict[str, Fingerprint]:
        """Return what the reference does in each contract; `names` are all of a suite, in order."""
        found, last = {}, AS_EXPECTED
        for name in names:
            last = self.contracts.get(name, last)
            found[name] = last
        return found

    def known(self) -> set[Fingerprint]:
        """Return everything that the reference is known to do."""
        return {*self.contracts.values(), *self.changed.values()}


@dataclass(frozen=True, slots=True)
class Table:
    """All rows, by scenario. `reference` is the digest of the reference that did it."""

    reference: str
    rows: Mapping[str, Row]

    @classmethod
    def read(cls, file: Path) -> Table:
        """Read a table. Raises KeptError."""
        with reading(file, "readfirst diagnose", _FORMAT) as data:
            rows = {}
            for name, (digest, *parts) in data["scenarios"].items():
                by_contract, changed = (
                    {key: Fingerprint(*found) for key, found in part.items()} for part in parts
                )
                rows[name] = Row(str(digest), by_contract, changed)
            return cls(data["reference"], rows)

    @classmethod
    def kept(cls) -> Table:
        """Return the table of this reference in the user's cache; an empty one if there is none, or it is damaged."""
        with suppress(KeptError):
            return cls.read(table_file())
        return cls(reference_digest(), {})

    def write(self, file: Path) -> None:
        """Write the file, whole or not at all."""
        rows = {name: (row.digest, row.contracts, row.changed) for name, row in self.rows.items()}
        data = {"format": _FORMAT, "reference": self.reference, "scenarios": rows}
        file.parent.mkdir(parents=True, exist_ok=True)
        write_all({file: json.dumps(data).encode()})

    def stale(self, suite: Suite) -> list[str]:
        """Return the scenarios of the sample of a suite that the table does not have as they are."""
        rows = self.rows if self.reference == reference_digest() else {}
        return [
            each
            for each in sample(suite)
            if each not in rows or rows[each].digest != scenario_digest(suite, each)
        ]

    def of(self, ids: Collection[str]) -> Table:
        """Return the table of these scenarios alone."""
        return Table(self.reference, {name: row for name, row in self.rows.items() if name in ids})


def cache_root() -> Path:
    """Return the directory of the tables in the user's cache, one for each state of the reference."""
    return platformdirs.user_cache_path("readfirst") / "diagnosis"


def table_file() -> Path:
    """Return the file of the table of this reference."""
    return cache_root() / reference_digest() / "table.json"


def sample(suite: Suite) -> list[str]:
    """Return the scenarios of the table: those that show a behaviour, and one of each other rule.

    A small suite is its own sample.
    """
    ids = suite.ids()
    if len(ids) <= MOST_ROWS:
        return ids
    chosen = {name for history in behaviour_histories().values() for name in history.shown_by}.intersection(
        ids
    )
    covered = {suite.heading(each).rule for each in chosen}
    for each in ids:
        if (rule := suite.heading(each).rule) not in covered:
            covered.add(rule)
            chosen.add(each)
    return sorted(chosen)


def scenario_digest(suite: Suite, scenario_id: str) -> str:
    """Return what is equal for equal scenarios."""
    return suite.digest(scenario_id)[:_LENGTH]


@cache
def reference_digest() -> str:
    """Return what is equal for references of the same code.

    The server does not count: no replay of the table goes through it.
    """
    folder = Path(reference_impl.__file__).parent
    digest = hashlib.sha256()
    for file in sorted({*folder.rglob("*.py")} - {folder / "server.py"}):
        digest.update(f"{file.relative_to(folder).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:_LENGTH]


def row_of(suite: Suite, replays: Replays, scenario_id: str) -> Row:
    """Replay a scenario in every contract, and in the base with one behaviour changed. Raises SuiteError."""
    digest = scenario_digest(suite, scenario_id)
    by_contract: dict[str, Fingerprint] = {}
    last = AS_EXPECTED
    for name in contracts(suite):
        found = replays(scenario_id, behaviours_of(name)).fingerprint
        if found != last:
            by_contract[name] = last = found
    base = behaviours_of(BASE)
    usual = replays(scenario_id, base)
    changed = {}
    for each in alternatives():
        if each.behaviour in usual.asked and each.value != base.value(each.behaviour):
            found = replays(scenario_id, with_changes(base, [each])).fingerprint
            if found != usual.fingerprint:
                changed[each.name] = found
    return Row(digest, by_contract, changed)


def contracts(suite: Suite) -> tuple[str, ...]:
    """Return the names of the suite's contracts that the reference knows, in their order."""
    found = []
    for each in suite.contracts:
        with suppress(ValueError):
            behaviours_of(each.name)
            found.append(each.name)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Job:
    """Computes rows of the table. Picklable, because it is sent to other processes."""

    suite: Suite

    @contextmanager
    def open(self) -> Iterator[Callable[[str], tuple[str, Row]]]:
        suite = self.suite

        def work(scenario_id: str) -> tuple[str, Row]:
            with Replays(suite) as replays:
                return scenario_id, row_of(suite, replays, scenario_id)

        yield work

    def lost(self, scenario_id: str, reason: str) -> tuple[str, Row]:
        raise RuntimeError(f"{scenario_id}: {reason}")


def made(suite: Suite, ids: Sequence[str], jobs: int = 1) -> Iterator[tuple[str, Row]]:
    """Yield the rows of scenarios, which processes make side by side. Raises SuiteError."""
    job = _Job(suite)
    jobs = jobs_for(jobs, "reference", len(ids))
    if jobs > 1 and len(ids) > 1:
        with work_in_processes(job, ids, jobs) as rows:
            yield from rows
        return
    with job.open() as work:
        for scenario_id in ids:
            yield work(scenario_id)


def up_to_date(
    suite: Suite,
    jobs: int = 1,
    begin: Callable[[int], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Table:
    """Return the table of a suite, after the missing rows were made and kept in the user's cache.

    `begin` is called with the number of scenarios to replay if there are any, `advance` after each. Raises SuiteError.
    """
    table = Table.kept()
    if stale := table.stale(suite):
        begin(len(stale))
        rows = dict(table.rows)
        for name, row in made(suite, stale, jobs):
            rows[name] = row
            advance()
        table = Table(reference_digest(), rows)
        table.write(table_file())
    return table.of(sample(suite))
