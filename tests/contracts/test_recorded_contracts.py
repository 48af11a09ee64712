"""Every contract: recordings, expectations and reference agree, and whatever is changed in one of them is noticed."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.adapters.recording import OneTranscript
from harness.contracts import Contract
from harness.finding import SuiteError
from harness.load import load_scenario
from harness.recordings import Recordings, Transcript
from harness.replay import replay
from harness.run import run
from harness.verdict import Verdict
from harness.workspace import Place
from reference_impl import behaviours_of

from .judging import SUITE, Reference, judged, offered

CONTRACTS = [contract.name for contract in SUITE.contracts.recorded]
SAMPLE = 40
"""Every so manieth scenario is tampered with."""


def unexpected(verdicts: Iterator[Verdict], contract: Contract) -> list[str]:
    """Return what did not pass, except where the version lacks what the scenario needs."""
    return [
        f"{verdict.scenario_id}: {verdict.status} {verdict.reason}"
        for verdict in verdicts
        if verdict.status != "passed"
        and not (verdict.status == "unspecified" and not needs(verdict.scenario_id) <= contract.capabilities)
    ]


def needs(scenario_id: str) -> frozenset[str]:
    return SUITE.scenario(scenario_id).needs


@pytest.mark.parametrize("name", CONTRACTS)
def test_recordings_and_expectations_agree(name: str) -> None:
    assert unexpected(run(SUITE, f"recording:{name}", [name]), SUITE.contracts[name]) == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_reference_agrees_with_what_was_recorded(name: str) -> None:
    assert unexpected(run(SUITE, "reference", [name]), SUITE.contracts[name]) == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_most_scenarios_are_specified_for_every_contract(name: str) -> None:
    contract = SUITE.contracts[name]
    specified = [each for each in SUITE.ids() if needs(each) <= contract.capabilities]
    assert len(specified) > 0.9 * len(SUITE.ids())


def sightings() -> Iterator[tuple[str, str]]:
    """Yield scenario and version of every recording that is of no contract: they state where a change came."""
    for path in sorted(SUITE.recordings_root.rglob("*.json")):
        for name in json.loads(path.read_bytes())["contracts"]:
            if name not in SUITE.contracts:
                yield path.relative_to(SUITE.recordings_root).with_suffix("").as_posix(), name


def test_the_reference_agrees_also_with_versions_between_contracts() -> None:
    wrong = []
    seen = list(sightings())
    assert len(seen) >= 20, "ten changes are recorded on both sides"
    with Place() as place:
        for scenario_id, name in seen:
            scenario, contract = SUITE.scenario(scenario_id), SUITE.contracts.find(name)
            outcome = replay(scenario, Reference(behaviours_of(name)), place)
            if judged(scenario, outcome, contract) != "passed":
                wrong.append(f"{scenario_id} on {name}")
    assert wrong == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_reference_offers_the_tools_of_the_contract(name: str) -> None:
    assert offered(name) == set(SUITE.contracts[name].tools)


def _release(contract: Contract) -> tuple[int, int, int]:
    major, minor, patch = map(int, (contract.version or "0.0.0").split("."))
    return major, minor, patch


def sample() -> list[str]:
    return SUITE.ids()[::SAMPLE]


def transcripts(scenario_id: str) -> dict[str, Transcript]:
    return dict(Recordings(SUITE.recordings_root).recording(scenario_id).transcripts)


@pytest.mark.parametrize("scenario_id", sample())
def test_a_changed_character_of_any_recorded_answer_is_noticed(scenario_id: str) -> None:
    scenario = SUITE.scenario(scenario_id)
    with Place() as place:
        for name, transcript in transcripts(scenario_id).items():
            contract = SUITE.contracts.find(name)
            for number, step in enumerate(transcript.steps):
                first = step.results[0]
                wrong = dataclasses.replace(first, text="?" + first.text[1:] if first.text else "?")
                steps = list(transcript.steps)
                steps[number] = dataclasses.replace(step, results=(wrong, *step.results[1:]))
                outcome = replay(scenario, OneTranscript(Transcript(tuple(steps))), place)
                assert judged(scenario, outcome, contract) == "failed", f"step {number + 1} on {name}"


BORDER = re.compile(r'claude_code: "[^"]*?(?P<version>[0-9]+\.[0-9]+\.[0-9]+)"')


@pytest.mark.parametrize("scenario_id", sample())
def test_a_border_that_is_moved_is_noticed(scenario_id: str, tmp_path: Path) -> None:
    source = SUITE.path(scenario_id).read_text("utf-8")
    recorded = transcripts(scenario_id)
    for border in BORDER.finditer(source):
        version = border["version"]
        older = [each for each in SUITE.contracts.recorded if _release(each) < _version(version)]
        moved = (
            source[: border.start("version")] + (older[-1].version or "") + source[border.end("version") :]
        )
        path = tmp_path / f"{scenario_id}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(moved, "utf-8")
        try:
            scenario = load_scenario(path, tmp_path, SUITE.contracts)
        except SuiteError:
            continue  # two clauses for one contract, or none
        with Place() as place:
            statuses = {
                judged(
                    scenario, replay(scenario, OneTranscript(transcript), place), SUITE.contracts.find(name)
                )
                for name, transcript in recorded.items()
            }
        assert statuses != {"passed"}, f"nobody notices {border[0]} in {scenario_id}"


def test_the_sample_has_borders_to_move() -> None:
    borders = [BORDER.findall(SUITE.path(scenario_id).read_text("utf-8")) for scenario_id in sample()]
    assert sum(map(bool, borders)) > len(borders) / 2


def _version(text: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch
