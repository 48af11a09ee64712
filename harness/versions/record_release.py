"""Record a new version of the product as contracts. There is one contract for each class of models."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from readfirst.harness.diff.diff import Diff
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.record.record import Recorded, accept_replays, find_unrecorded
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.suite.contracts import Contract, Contracts, contract_sort_key
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.yaml_writer import emit_string

MAX_UNANSWERED = 0.01
"""The share of scenarios that may lack a recording in a new contract. A scenario lacks a recording if its answers were
unstable or broken.
"""


class ReleaseError(ReadfirstError):
    """Raised if a version cannot be recorded as a contract. The message states the reason and a solution."""


@dataclass(frozen=True, slots=True)
class Release:
    """A version of the product that is not a contract yet. `contracts` contains its new contracts, each paired with the
    newest existing contract of the same class of models.
    """

    version: str
    contracts: tuple[tuple[Contract, Contract], ...]


def release_of(contracts: Contracts, version: str) -> Release:
    """Return a Release of the version with its new contracts. Raises ReleaseError if the version is too old."""
    pairs = []
    for name in (version, f"{version}+gated"):
        before = predecessor(contracts, name)
        if before is not None:
            contract = contracts.find(name)
            contract = replace(
                contract,
                name=name,
                version=version,
                model=before.model,
                ignores_outer_whitespace=contract.ignores_outer_whitespace and contract.model == before.model,
                summary=f"Recorded as a snapshot after {before.version}.",
            )
            pairs.append((contract, before))
    if not pairs:
        raise ReleaseError(f"{version} is older than every contract; snapshots are for newer versions.")
    return Release(version, tuple(pairs))


def predecessor(contracts: Contracts, name: str) -> Contract | None:
    """Return the newest contract before `name` with the same suffix (`+gated` or none). None for the first contract."""
    variant = name.partition("+")[2]
    older = [
        contract
        for contract in contracts.recorded
        if contract.name.partition("+")[2] == variant
        and contract_sort_key(contract.name) < contract_sort_key(name)
    ]
    return older[-1] if older else None


def scenarios_to_record(suite: Suite, release: Release) -> dict[str, list[str]]:
    """Return the scenarios to record for each new contract: the scenarios with a recording on the previous contract.
    Raises ReleaseError if a previous contract has no recordings.
    """
    recorded = {
        scenario_id: suite.recordings.recording(scenario_id).transcripts for scenario_id in suite.ids()
    }
    wanted = {
        contract.name: [scenario_id for scenario_id, known in recorded.items() if before.name in known]
        for contract, before in release.contracts
    }
    bare = [before.name for contract, before in release.contracts if not wanted[contract.name]]
    if bare:
        names = " or ".join(bare)
        raise ReleaseError(
            f"There are no recordings of {names}, with which {release.version} would be compared. "
            "Record them first: `readfirst product record --missing --contract all`."
        )
    return wanted


@dataclass(frozen=True, slots=True)
class Failures:
    """The scenarios that could not be recorded on a new version, and whether all other recordings were written."""

    results: tuple[Recorded, ...]
    written: bool

    @property
    def are_unanswered(self) -> bool:
        """Whether a repetition may help: each failed scenario ended early or gave two different answers."""
        return all(result.status in ("unstable", "error") for result in self.results)


def write_release(
    suite: Suite,
    release: Release,
    wanted: Mapping[str, Sequence[str]],
    takes: StoredReplays,
    broken: Mapping[tuple[str, str], str],
    *,
    max_unanswered: float = 0,
) -> Failures:
    """Write all files of the suite that a new version changes. Nothing is written if too many scenarios failed:
    `max_unanswered` is the share of scenarios that may be unstable or broken. The replays must exist, and are kept
    until everything is written, except replays that contradict each other.
    """
    with Scratch() as scratch:
        root = scratch.path / "fixtures"
        shutil.copytree(suite.root, root)
        listed = root / "contracts.yaml"
        entries = "".join(_contract_entry(contract) for contract, _ in release.contracts)
        listed.write_text(listed.read_text("utf-8").rstrip("\n") + "\n" + entries, "utf-8")
        copy = Suite(root, copies_bundled=suite.bundled, trust=suite.trust)
        results = [*accept_replays(copy, wanted, "create", takes, broken, keep=True)]
        failures = Failures(tuple(result for result in results if not result.ok), written=False)
        limit = len(results) * max_unanswered if failures.are_unanswered else 0
        if len(failures.results) > limit:
            return failures
        write_all(_changed_files(root, suite.root))
        for name, ids in wanted.items():
            for scenario_id in ids:
                takes.drop(scenario_id, name)
        return replace(failures, written=True)


def unrecorded_scenarios(suite: Suite, contract: Contract, before: Contract) -> list[str]:
    """Return the scenarios recorded on `before` but not on `contract`, unless the recording states a reason."""
    ids = find_unrecorded(suite, suite.ids(), [contract]).get(contract.name, ())
    return [each for each in ids if before.name in suite.recordings.recording(each).transcripts]


def differing_beyond(suite: Suite, changed: Diff, new: Contract, old: Contract) -> list[str]:
    """Return the scenarios, except those in `changed`, whose recordings differ although the expectations are equal."""
    others = [scenario_id for scenario_id in suite.ids() if scenario_id not in changed.differing]
    recorded = ((scenario_id, suite.recordings.recording(scenario_id).transcripts) for scenario_id in others)
    return [
        scenario_id
        for scenario_id, transcripts in recorded
        if transcripts.get(new.name) != transcripts.get(old.name)
    ]


def _contract_entry(contract: Contract) -> str:
    fields = {
        "package": emit_string(contract.package or ""),
        "version": contract.version,
        "model": contract.model,
        "read_gate": contract.read_gate,
        **({"outer_whitespace": "ignored"} if contract.ignores_outer_whitespace else {}),
        "tools": f"[{', '.join(contract.tools)}]",
        **({"lacks": f"[{', '.join(contract.lacks)}]"} if contract.lacks else {}),
        "summary": emit_string(contract.summary),
    }
    return f"  {contract.name}:\n" + "".join(f"    {key}: {value}\n" for key, value in fields.items())


def _changed_files(new: Path, old: Path) -> dict[Path, bytes]:
    """Return the files that are missing or different in `old`, by path in `old`. The list of contracts is last."""
    changed = {}
    # Until the list of contracts is written, the new recordings belong to no contract.
    for path in sorted(new.rglob("*"), key=lambda path: (path.name == "contracts.yaml", path)):
        if path.is_file():
            target = old / path.relative_to(new)
            data = path.read_bytes()
            if not target.is_file() or target.read_bytes() != data:
                changed[target] = data
    return changed
