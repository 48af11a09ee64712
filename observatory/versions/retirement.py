"""Remove a contract from a suite. Its answers are kept unless they can be derived from the neighbouring versions."""

import re
from pathlib import Path

from readfirst.harness.diff.introduced_in import contracts_of_models, version_of
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, RecordingError, Transcript
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.product_data import RESULTS, TOOLS

MAX_CONTRACTS = 17
"""Maximum number of recorded contracts of a suite. docs/recording.md describes which versions are contracts."""


def retiring_version(contracts: Contracts, newest: str) -> str | None:
    """Return the contract before `newest`, if it can be removed when `newest` becomes a contract. None if it is the
    default or oldest contract, or changed the tools, the capabilities or the edits that need a Read.
    """
    contract = contracts.before(contracts[newest])
    older = None if contract is None else contracts.before(contract)
    if contract is None or older is None or contract.name == contracts.default:
        return None
    changes_form = (contract.read_gate, contract.tools, contract.lacks) != (
        older.read_gate,
        older.tools,
        older.lacks,
    )
    return None if changes_form else contract.version


def distinct_scenarios(suite: Suite, version: str) -> dict[str, list[str]]:
    """Return, by contract of a version, the scenarios whose answers cannot be derived from neighbouring versions."""
    distinct: dict[str, list[str]] = {name: [] for name in _contract_names(suite.contracts, version)}
    for scenario_id in suite.ids():
        recording = suite.recordings.recording(scenario_id)
        for name, ids in distinct.items():
            if name in recording.transcripts and not _equals_both_neighbours(recording, name):
                ids.append(scenario_id)
    return distinct


def retire(suite: Suite, version: str) -> None:
    """Remove a version from a suite, except for answers that `derive_transcript` cannot restore."""
    names = _contract_names(suite.contracts, version)
    files: dict[Path, bytes] = {}

    def without(recording: Recording) -> Recording:
        left = recording
        for name in names:
            if name in recording.transcripts and _equals_both_neighbours(recording, name):
                left = left.without(name)
                if derive_transcript(left, name) != recording.transcripts[name]:
                    raise RecordingError(
                        f"{name} was not removed: its answers cannot be derived from the versions before and after it"
                    )
        return left

    for path in dict.fromkeys(path for _, path in suite.recordings.located()):
        data = suite.recordings.rewritten(path, without)
        if data != path.read_bytes():
            files[path] = data
    remaining = [each.name for each in suite.contracts.recorded if each.name not in names]
    for given in (TOOLS, RESULTS):
        file = given.file(suite.root)
        if file.exists():
            known = {name: value for name, value in given.load(file).items() if name not in names}
            files[file] = given.text(known, remaining).encode()
    listed = suite.root / "contracts.yaml"
    text = listed.read_text("utf-8")
    for name in names:
        text = re.sub(rf"(?m)^  {re.escape(name)}:\n(?:    .*\n)+", "", text)
    write_all({**files, listed: text.encode()})


def derive_transcript(recording: Recording, name: str) -> Transcript | None:
    """Return a version's recorded answers. If missing, return its neighbours' answers; None if these differ."""
    if name in recording.transcripts:
        return recording.transcripts[name]
    with_it = Recording(recording.inputs, {name: Transcript(()), **recording.transcripts})
    neighbours = [recording.transcripts[other] for other in _neighbours(with_it, name)]
    return neighbours[0] if len(neighbours) == 2 and neighbours[0] == neighbours[1] else None


def _equals_both_neighbours(recording: Recording, name: str) -> bool:
    return derive_transcript(recording.without(name), name) == recording.transcripts[name]


def _neighbours(recording: Recording, name: str) -> list[str]:
    """Return the nearest recorded versions before and after a version, for the same models (`+gated` or not)."""
    names = contracts_of_models(recording, gated="+gated" in name)
    place = names.index(name)
    return [*names[max(place - 1, 0) : place], *names[place + 1 : place + 2]]


def _contract_names(contracts: Contracts, version: str) -> list[str]:
    return [each.name for each in contracts.recorded if version_of(each.name) == version]
