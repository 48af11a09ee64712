"""Recorded: whether scenarios and recordings belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.suite.case import Case
from readfirst.harness.suite.contracts import UnknownContractError, order
from readfirst.harness.suite.recording_file import encode
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError

__all__ = ["check_orphans", "check_recording", "unrecorded"]

_MOST_NOTES = 5
"""Scenarios that are named one by one."""


def check_recording(case: Case) -> Iterator[Finding]:
    """Yield findings about the recording of one scenario."""
    scenario = case.scenario
    recordings = Recordings(case.suite.recordings_root)
    try:
        recording = recordings.recording(scenario.id)
    except RecordingError as error:
        position = Position(recordings.path(scenario.id), 1, 1)
        message = str(error).removeprefix(f"{recordings.path(scenario.id)}: ")
        yield Finding(
            "broken-recording", position, message, f"Run `readfirst product record --fix {scenario.id}`."
        )
        return
    if recording.transcripts and recording.inputs != scenario.inputs:
        message = "the recording was made with other files or steps"
        record = "readfirst product record"
        fix = f"Run `{record} --fix {scenario.id}`, then `{record} --missing {scenario.id}`."
        yield case.finding("stale-recording", ("steps",), message, fix, key=True)
    elif any(scenario.calls()) and scenario.contract not in recording.transcripts:
        message = f"what {scenario.contract} does was not recorded"
        fix = f"Run `readfirst product record {scenario.id}`."
        yield case.finding("missing-recording", ("steps",), message, fix, key=True)
    elif recording.transcripts and encode(recording) != recordings.path(scenario.id).read_bytes():
        message = "the recording is not in the form that the recorder writes"
        position = Position(recordings.path(scenario.id), 1, 1)
        again = f"readfirst product record --fix {scenario.id}"
        fix = f"Undo the change, or run `{again}`: only the product's answers count."
        yield Finding("edited-recording", position, message, fix)


def unrecorded(suite: Suite, ids: Iterable[str]) -> Iterator[str]:
    """Yield notes, not findings: which contracts have no recording yet of scenarios that are in order so far.

    For a contract without a recording the scenario is unspecified.
    """
    lacking: dict[str, list[str]] = {}
    for scenario_id in ids:
        try:
            scenario = suite.scenario(scenario_id)
            known = suite.recordings.of(scenario_id, scenario.inputs).transcripts
        except (SuiteError, RecordingError):
            continue  # which is a finding
        able = [each.name for each in suite.contracts.recorded if scenario.needs <= each.capabilities]
        absent = [name for name in able if name not in known]
        if absent and scenario.contract in known:
            lacking[scenario_id] = absent
    for scenario_id, absent in list(lacking.items())[:_MOST_NOTES]:
        yield f"note: {scenario_id} has no recording yet for {', '.join(absent)}"
    if len(lacking) > _MOST_NOTES:
        yield f"note: and {len(lacking) - _MOST_NOTES} more scenarios"
    if lacking:
        yield "note: `readfirst product record --missing` records these; until then the scenario is unspecified there"


def check_orphans(suite: Suite, ids: frozenset[str]) -> Iterator[Finding]:
    """Yield findings about recordings that no scenario of the suite has a use for."""
    recordings = Recordings(suite.recordings_root)
    for scenario_id in recordings.ids():
        path = recordings.path(scenario_id)
        if scenario_id not in ids:
            message = f"there is no scenario {scenario_id}"
            yield Finding(
                "orphan-recording", Position(path, 1, 1), message, "Remove or rename the recording."
            )
            continue
        for name in sorted(_contracts(recordings, scenario_id), key=order):
            if not _is_known(suite, name):
                fix = "Remove it from the recording: a contract is listed in contracts.yaml, or is a version."
                message = f"the recording contains the unknown contract {name!r}"
                yield Finding("orphan-recording", Position(path, 1, 1), message, fix)
    known = {recordings.path(scenario_id) for scenario_id in recordings.ids()}
    for path in _files(suite.recordings_root):
        if path not in known:
            fix = "Remove it: recordings are <family>/<slug>.yaml."
            yield Finding("orphan-recording", Position(path, 1, 1), "this file is not a recording", fix)


def _is_known(suite: Suite, name: str) -> bool:
    """Whether it is a contract, or a version that dates a change between two contracts."""
    try:
        return suite.contracts.find(name).recorded
    except UnknownContractError:
        return False


def _contracts(recordings: Recordings, scenario_id: str) -> frozenset[str]:
    try:
        return frozenset(recordings.recording(scenario_id).transcripts)
    except RecordingError:
        return frozenset()


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not path.is_dir() and not hidden and path.name != "README.md":
            yield path
