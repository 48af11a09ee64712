"""Lint checks of the recordings of scenarios."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from readfirst.harness.lint.check import LintContext
from readfirst.harness.suite.contracts import UnknownContractError, contract_sort_key
from readfirst.harness.suite.recordings import RecordingLocation, Recordings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, RecordingError
from readfirst.harness.yaml_io.finding import Finding, Position

_MAX_NOTES = 5
"""Maximum number of scenarios that are listed in a note about missing recordings."""


def read_recording(case: LintContext) -> RecordingLocation | Finding:
    """Read the recording of a scenario. Return it with its file, or a finding if it cannot be read."""
    try:
        location = case.suite.recordings.find(case.scenario.id)
        location.check_edited()
        transcripts = location.recording.transcripts
        if case.scenario.composed:
            transcripts.get(case.scenario.contract)  # parses the expectations, which are in the recording
        return location
    except RecordingError as error:
        return recording_finding(error, f"Run `readfirst product record --fix {case.scenario.id}`.")


def recording_finding(error: RecordingError, fix: str) -> Finding:
    """Return the finding `broken-recording` for a recording file that cannot be read."""
    assert error.file is not None
    message = str(error).removeprefix(f"{error.file}: ")
    return Finding("broken-recording", Position(error.file, 1, 1), message, fix)


def check_recording(case: LintContext, found: RecordingLocation) -> Iterator[Finding]:
    """Yield findings about a recording, for example if it was edited or does not belong to the scenario."""
    scenario, recording = case.scenario, found.recording
    is_unrecorded = any(scenario.calls()) and scenario.contract not in recording.transcripts
    if recording.transcripts and recording.inputs != scenario.inputs:
        message = "the recording was made with other files or steps"
        remedy = case.suite.remedy_for_recording(scenario.id)
        others = " A maintainer records the other versions." if case.suite.needs_recordings else ""
        fix = f"{remedy[0].upper()}{remedy[1:]}.{others}"
        yield case.finding("stale-recording", ("steps",), message, fix, key=True)
    elif case.suite.needs_recordings and not scenario.invariant and is_unrecorded:
        message = f"what {scenario.contract} does was not recorded"
        fix = f"Run `readfirst product record {scenario.id}`."
        yield case.finding("missing-recording", ("steps",), message, fix, key=True)
    elif recording.transcripts and not found.is_as_written:
        message = "the recording was changed by hand"
        position = Position(found.path, 1, 1)
        command = f"readfirst product record --fix {scenario.id}"
        fix = f"Undo the change, or run `{command}`: only the product's answers count."
        yield Finding("edited-recording", position, message, fix)


def unrecorded_contracts(case: LintContext, recording: Recording) -> tuple[str, ...]:
    """Return the contracts that support a scenario, but are missing in its recording without a stated reason. Empty if
    the recording of the scenario's own contract is missing or invalid.
    """
    scenario, transcripts = case.scenario, recording.transcripts
    is_current = scenario.contract in transcripts and recording.inputs == scenario.inputs
    if not (case.suite.needs_recordings and is_current):
        return ()
    return tuple(
        contract.name
        for contract in case.suite.contracts.recorded
        if scenario.needs <= contract.capabilities
        and contract.name not in transcripts
        and contract.name not in recording.unrecorded
    )


def notes(unrecorded: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield notes about missing recordings (contracts by scenario id). Notes do not make `readfirst lint` fail."""
    for scenario_id, names in list(unrecorded.items())[:_MAX_NOTES]:
        yield f"note: {scenario_id} has no recording yet for {', '.join(names)}"
    if len(unrecorded) > _MAX_NOTES:
        yield f"note: and {len(unrecorded) - _MAX_NOTES} more scenarios"
    if unrecorded:
        yield "note: `readfirst product record --missing` records these; until then the scenario is unspecified there"


def check_orphans(
    suite: Suite, located: Sequence[tuple[str, Path]], read: Mapping[str, frozenset[str] | None]
) -> Iterator[Finding]:
    """Yield findings about recordings of unknown scenarios or contracts, and about other files among the recordings.
    `located` contains the id and the file of each recording. `read` contains the contracts in each recording. None if
    the recording was not read.
    """
    recordings = suite.recordings
    known_contracts = {contract.name for contract in suite.contracts.recorded}
    for scenario_id, path in located:
        if scenario_id not in read:
            message = f"there is no scenario {scenario_id}"
            yield Finding(
                "orphan-recording", Position(path, 1, 1), message, "Remove or rename the recording."
            )
            continue
        if path != (expected := recordings.path(scenario_id)):
            message = f"the recording of {scenario_id} is in the wrong file"
            yield Finding("orphan-recording", Position(path, 1, 1), message, f"Move it to {expected}.")
            continue
        names = read[scenario_id]
        unknown = (_recorded_contracts(recordings, scenario_id) if names is None else names) - known_contracts
        for name in sorted(unknown, key=contract_sort_key):
            if not _is_contract(suite, name):
                fix = "Remove it from the recording: a contract is listed in contracts.yaml, or is a version."
                message = f"the recording contains the unknown contract {name!r}"
                yield Finding("orphan-recording", Position(path, 1, 1), message, fix)
    read_files = {path for _, path in located}
    for path in _iter_files(suite.recordings_root):
        if path not in read_files:
            fix = "Remove it: recordings are in <family>/<name of the scenario file>.json."
            yield Finding("orphan-recording", Position(path, 1, 1), "this file is not a recording", fix)


def _is_contract(suite: Suite, name: str) -> bool:
    """Whether a transcript may have this name: the name of a recorded contract, or of any version of the product."""
    try:
        return suite.contracts.find(name).recorded
    except UnknownContractError:
        return False


def _recorded_contracts(recordings: Recordings, scenario_id: str) -> frozenset[str]:
    try:
        return frozenset(recordings.recording(scenario_id).transcripts)
    except RecordingError:
        return frozenset()


def _iter_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not path.is_dir() and not is_hidden and path.name != "README.md":
            yield path
