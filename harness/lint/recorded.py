"""Recorded: whether scenarios and recordings belong together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.contracts import UnknownContractError
from harness.finding import Finding
from harness.lint.case import Case
from harness.recordings import Recording, RecordingError, Recordings, Transcript
from harness.scenario import ParallelCalls, Position, Scenario, ToolCall
from harness.suite import Suite

__all__ = ["check_orphans", "check_recording"]


def check_recording(case: Case) -> Iterator[Finding]:
    """Yield findings about the recording of one scenario."""
    scenario = case.scenario
    recordings = Recordings(case.suite.recordings_root)
    try:
        recording = recordings.recording(scenario.id)
    except RecordingError as error:
        position = Position(recordings.path(scenario.id), 1, 1)
        message = str(error).removeprefix(f"{recordings.path(scenario.id)}: ")
        yield Finding("broken-recording", position, message, f"Run `readfirst record --fix {scenario.id}`.")
        return
    yield from _missing(case, recording)
    for name, transcript in recording.transcripts.items():
        step = _first_difference(scenario, transcript)
        if step is not None:
            message = f"the recording for {name} has another call {step + 1}"
            fix = f"Run `readfirst record --fix {scenario.id}`."
            yield case.finding("stale-recording", ("steps",), message, fix, key=True)
            return


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
        for name in sorted(_contracts(recordings, scenario_id)):
            if not _is_known(suite, name):
                fix = "Remove it from the recording: a contract is listed in contracts.yaml, or is a version."
                message = f"the recording holds the unknown contract {name!r}"
                yield Finding("orphan-recording", Position(path, 1, 1), message, fix)
    known = {recordings.path(scenario_id) for scenario_id in recordings.ids()}
    for path in _files(suite.recordings_root):
        if path not in known:
            fix = "Remove it: recordings are <family>/<slug>.json."
            yield Finding("orphan-recording", Position(path, 1, 1), "this file is not a recording", fix)


def _is_known(suite: Suite, name: str) -> bool:
    """Whether it is a contract, or a version that tells where between two contracts something changed."""
    try:
        return suite.contracts.find(name).recorded
    except UnknownContractError:
        return False


def _missing(case: Case, recording: Recording) -> Iterator[Finding]:
    tools = {call.tool for call in case.scenario.calls()}
    if not tools:
        return
    for contract in case.suite.contracts.recorded:
        if case.scenario.needs <= contract.capabilities and contract.name not in recording.transcripts:
            message = f"the expectations for {contract.name} were not recorded"
            fix = f"Run `readfirst record --create {case.scenario.id}`."
            yield case.finding("missing-recording", ("steps",), message, fix, key=True)


def _first_difference(scenario: Scenario, transcript: Transcript) -> int | None:
    """Return the first step, counted from 0 without world events, whose calls are not those of the scenario."""
    own = [
        [(call.tool, call.arguments) for call in (step.calls if isinstance(step, ParallelCalls) else (step,))]
        for step in scenario.steps
        if isinstance(step, ToolCall | ParallelCalls)
    ]
    recorded = [[(tool, arguments) for tool, arguments in step.calls] for step in transcript.steps]
    for number in range(max(len(own), len(recorded))):
        if own[number : number + 1] != recorded[number : number + 1]:
            return number
    return None


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
