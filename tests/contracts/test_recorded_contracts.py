"""Recordings, expectations and the reference agree on every contract, and a change in any of them is detected."""

import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.record.record import find_unrecorded
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.runner import Runner, RunSpec
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording, Transcript
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.reference_impl import behaviours_of
from tests.rows import rows
from tests.small_disks import may_mount

from .judging import SUITE, judge_outcome, judge_status, list_tools

CONTRACTS = [contract.name for contract in SUITE.contracts.recorded]
PARTS = 4
"""The scenarios are divided so that processes share the work."""

NEIGHBOURS, OF_ALL = 25, 40
"""The quick tests use one of 40 groups of 25 neighbouring scenarios, which share files."""
SAMPLE = 40
"""One of 40 scenarios is tested with changed recordings. The quick tests use every eighth of these."""


def describe_error(verdict: Verdict, contract: Contract) -> str:
    """Return a message if a verdict is not `passed`. Empty if the scenario cannot run here or the version lacks it."""
    unasked = verdict.status == "unspecified" and not is_recorded(verdict.scenario_id, contract)
    passed = verdict.status == "passed"
    no_right = "the right to make a small file system" in verdict.reason and not may_mount()
    elsewhere = verdict.status == "unsupported" and is_for_another_platform(verdict.scenario_id)
    if passed or unasked or no_right or elsewhere:
        return ""
    return f"{verdict.scenario_id} on {contract.name}: {verdict.status} {verdict.reason}"


def is_for_another_platform(scenario_id: str) -> bool:
    here = {"linux": "linux", "darwin": "macos"}[sys.platform]
    return SUITE.scenario(scenario_id).platform not in ("", here)


def is_recorded(scenario_id: str, contract: Contract) -> bool:
    able = SUITE.scenario(scenario_id).needs <= contract.capabilities
    return able and contract.name in load_recording(scenario_id).transcripts


def contracts_by_transcript(scenario_id: str) -> Iterator[tuple[Transcript, list[Contract]]]:
    recording = SUITE.recordings.of(scenario_id, SUITE.scenario(scenario_id).inputs)
    contracts: dict[int, list[Contract]] = {}
    for name in recording.transcripts.keys() & set(CONTRACTS):
        if is_recorded(scenario_id, SUITE.contracts[name]):
            contracts.setdefault(id(recording.transcripts[name]), []).append(SUITE.contracts[name])
    for owners in contracts.values():
        yield recording.transcripts[owners[0].name], owners


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_recording_meets_the_expectations_of_its_contracts(part: int) -> None:
    wrong = []
    asked: Counter[str] = Counter()
    for scenario_id in SUITE.ids()[part::PARTS]:
        stated = SUITE.scenario(scenario_id)
        for transcript, owners in contracts_by_transcript(scenario_id):
            outcome = recorded_outcome(stated, transcript)
            for contract in owners:
                asked[contract.name] += 1
                status = judge_status(SUITE.scenario(scenario_id, contract), outcome, contract)
                if status != "passed":
                    wrong.append(f"{scenario_id} on {contract.name}: {status}")
    assert wrong == []
    assert asked.keys() == set(CONTRACTS)


def test_the_reference_passes_a_sample_of_the_default_contract() -> None:
    """`readfirst run` checks all scenarios, and the slow test below all contracts."""
    ids = SUITE.ids()
    neighbours = [each for number, each in enumerate(ids) if number // NEIGHBOURS % OF_ALL == 0]
    assert len(neighbours) > 0.9 * len(ids) / OF_ALL
    with Runner(RunSpec(SUITE, "reference", SUITE.contracts.default)) as runner:
        verdicts = [runner.judge(each) for each in neighbours]
        assert [found for each in verdicts if (found := describe_error(each, runner.contracts[0]))] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_the_reference_behaves_as_recorded_on_every_contract(part: int) -> None:
    with ExitStack() as stack:
        runners = [stack.enter_context(Runner(RunSpec(SUITE, "reference", name))) for name in CONTRACTS]
        errors = [
            describe_error(runner.judge(scenario_id), runner.contracts[0])
            for scenario_id in SUITE.ids()[part::PARTS]
            if not SUITE.scenario(scenario_id).invariant  # it has no recording, and the product may break it
            for runner in runners
        ]
    assert [each for each in errors if each] == []


@pytest.mark.slow
def test_a_recording_is_missing_only_for_a_known_reason() -> None:
    """Ignores scenarios recorded on one contract only; `readfirst lint` reports these."""
    lacking = find_unrecorded(Suite(), SUITE.ids(), SUITE.contracts.recorded)
    all_lacking = {each for ids in lacking.values() for each in ids}
    waiting = {each for each in all_lacking if len({*load_recording(each).transcripts} & {*CONTRACTS}) < 2}
    assert len(waiting) <= 0.05 * len(SUITE.ids())
    assert {name: {*ids} - waiting for name, ids in lacking.items() if {*ids} - waiting} == {}


def recordings_between_contracts() -> Iterator[tuple[str, str]]:
    """Yield recordings of versions that are not contracts. Not those that kill the program: the reference runs here."""
    for scenario_id, _ in SUITE.recordings.located():
        for name in load_recording(scenario_id).transcripts:
            if name not in SUITE.contracts and not kills(scenario_id):
                yield scenario_id, name


def kills(scenario_id: str) -> bool:
    return scenario_id.startswith("interrupted/") and "kill" in SUITE.scenario(scenario_id).needs


SETTINGS_FILE = ".claude/settings.local.json"
"""A file that some versions write into the workspace during a call."""
VERSIONS_WITH_SETTINGS_FILE = {"1.0.4", "1.0.5"}


def differs_only_in_settings_file(verdict: Verdict) -> bool:
    paths = [each.what for each in verdict.differences]
    return bool(paths) and all(each.startswith("path ") and each.endswith(SETTINGS_FILE) for each in paths)


@pytest.mark.slow
def test_the_reference_behaves_as_recorded_in_versions_between_two_contracts() -> None:
    wrong = []
    seen = list(recordings_between_contracts())
    assert len(seen) >= 20, "ten changes are recorded on both sides"
    with WorkspacePool(memory=True) as place:
        for scenario_id, name in seen:
            contract = SUITE.contracts.find(name)
            scenario = SUITE.scenario(scenario_id, contract)
            outcome = replay(scenario, ReferenceAdapter(behaviours_of(name)), place)
            verdict = judge_outcome(scenario, outcome, contract)
            known = name in VERSIONS_WITH_SETTINGS_FILE and differs_only_in_settings_file(verdict)
            if verdict.status != "passed" and not known:
                wrong.append(f"{scenario_id} on {name}")
    assert wrong == []


@rows("name", CONTRACTS)
def test_the_reference_has_the_tools_that_contracts_yaml_lists(name: str) -> None:
    assert list_tools(name) == set(SUITE.contracts[name].tools)


def load_recording(scenario_id: str) -> Recording:
    return SUITE.recordings.recording(scenario_id)


def sampled_parameters() -> list[Any]:
    """Return a sample of the recorded scenarios; seven of eight are slow tests. None kills the program."""
    sample = SUITE.ids()[::SAMPLE]
    some = [each for each in sample if SUITE.recordings.path(each).is_file() and not kills(each)]
    return [pytest.param(each, marks=pytest.mark.slow if at % 8 else ()) for at, each in enumerate(some)]


def versions_and_steps(recording: Recording) -> Iterator[tuple[str, int]]:
    """Yield pairs of a version and a step. Each version and each step of the recording occurs at least once."""
    names = list(recording.transcripts)
    lengths = [len(transcript.steps) for transcript in recording.transcripts.values()]
    for turn in range(max(len(names), *lengths)):
        version = turn % len(names)
        yield names[version], turn % lengths[version]


@pytest.mark.parametrize("scenario_id", sampled_parameters())
def test_a_scenario_fails_if_one_character_of_a_recorded_answer_is_changed(scenario_id: str) -> None:
    recording = load_recording(scenario_id)
    assert recording.transcripts
    for name, number in versions_and_steps(recording):
        contract = SUITE.contracts.find(name)
        steps = list(recording.transcripts[name].steps)
        first, *others = steps[number].results
        wrong = dataclasses.replace(first, text="?" + first.text[1:] if first.text else "?")
        steps[number] = dataclasses.replace(steps[number], results=(wrong, *others))
        scenario = SUITE.scenario(scenario_id, contract)
        outcome = recorded_outcome(scenario, Transcript(tuple(steps)))
        assert judge_status(scenario, outcome, contract) == "failed", f"step {number + 1} on {name}"


def test_only_a_scenario_that_needs_another_operating_system_may_be_unsupported() -> None:
    def error_if_unsupported(scenario_id: str) -> str:
        verdict = Verdict(scenario_id, "2.1.7", "text", "unsupported", {}, reason="the adapter lacks it")
        return describe_error(verdict, SUITE.contracts.find("2.1.7"))

    assert error_if_unsupported("platforms/case-and-change") == ""
    platforms = [each for each in SUITE.ids() if b"platform: " in SUITE.path(each).read_bytes()]
    own = (each for each in platforms if SUITE.scenario(each).platform and not is_for_another_platform(each))
    for scenario_id in (next(own), "gate/edit-unread"):
        assert error_if_unsupported(scenario_id).endswith("unsupported the adapter lacks it")
