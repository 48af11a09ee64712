"""A generated scenario that is written as a scenario file is equal when it is read back."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import (
    Base64Content,
    Directory,
    HardLink,
    RegularFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.suite.scenario_writer import scenario_text
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.generate import scenarios
from readfirst.observatory.fuzz.known_disagreements import load_scenario
from readfirst.observatory.fuzz.notebooks import notebook_scenario
from readfirst.observatory.fuzz.scenario_values import scenario_values


def some(seed: int, number: int) -> list[Scenario]:
    return list(islice(scenarios(seed), number))


def without_positions(step: Step) -> Step:
    match step:
        case ToolCall(during=during):
            return replace(step, position=None, during=tuple(map(without_positions, during)))
        case ParallelCalls(calls):
            return replace(step, position=None, calls=tuple(map(without_positions, calls)))
        case WorldEvent():
            return replace(step, position=None)


def read_back(scenario: Scenario, suite: Suite, folder: Path) -> Scenario:
    path = folder / f"{scenario.id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(scenario_text(scenario_values(scenario)).encode())
    read = load_scenario(path, folder, suite.contracts, require_expect=False)
    assert (read.contract, len(read.inputs)) == (suite.contracts.default, 16), (
        "what a file adds to a scenario"
    )
    steps = tuple(map(without_positions, read.steps))
    return replace(read, path=None, contract="", inputs="", steps=steps)


def test_the_same_seed_gives_the_same_scenarios_and_another_gives_others() -> None:
    assert some(7, 20) == some(7, 20)
    assert some(7, 20) != some(8, 20)


def test_most_scenarios_can_share_a_session_of_the_product() -> None:
    assert sum(map(needs_own_session, some(2, 100))) <= 8


@pytest.mark.slow
def test_calls_are_about_what_is_there_often_enough(place: WorkspacePool) -> None:
    done = total = 0
    for scenario in some(4, 60):
        outcome = replay(scenario, ReferenceAdapter("2.1.7"), place)
        results = [result for step in outcome.steps for result in step.results]
        done += sum(not result.is_error for result in results)
        total += len(results)
    assert done / total > 0.3


def test_a_written_scenario_reads_back_as_it_was(suite: Suite, tmp_path: Path) -> None:
    for scenario in some(5, 60):
        assert read_back(scenario, suite, tmp_path) == scenario


ENTRIES = {
    "plain.txt": RegularFile(TextContent("alpha\n")),
    "windows.txt": RegularFile(TextContent("a\nb\n", eol="crlf", bom=True), mode=0o600),
    "wide.txt": RegularFile(TextContent("é", encoding="utf-16-le", bom=True)),
    "many.txt": RegularFile(TextContent("line {n}\n", times=30)),
    "bytes.bin": RegularFile(Base64Content("/w==")),
    "link": Symlink("$WS/plain.txt"),
    "other name": HardLink("plain.txt"),
    "folder": Directory(0o700),
}


@pytest.mark.parametrize(
    "step",
    [
        WorldEvent("rename", "plain.txt", to="new.txt"),
        WorldEvent("symlink", "second", Symlink("plain.txt")),
        WorldEvent("mkdir", "made", Directory()),
        WorldEvent("touch", "plain.txt", mtime=-10),
        WorldEvent("modify", "plain.txt", RegularFile(TextContent("x")), mtime=None),
        WorldEvent("chmod", "plain.txt", mode=0o755),
        WorldEvent("delete", "plain.txt"),
        ToolCall("Read", {}),
        ToolCall(
            "Edit", {"file_path": None, "old_string": ["a", {"b": 1.5}], "new_string": {}, "x": {"y": [True]}}
        ),
    ],
    ids=lambda step: getattr(step, "kind", None) or step.tool,
)
def test_every_kind_of_step_and_file_can_be_written(step: Any, suite: Suite, tmp_path: Path) -> None:
    calls = (step, ToolCall("Read", {"file_path": "$WS/plain.txt"}))
    scenario = Scenario("fuzz/one", "One of each", "observed", Given(ENTRIES, ("Edit(secret/**)",)), calls)
    assert read_back(scenario, suite, tmp_path) == scenario


@pytest.mark.slow
def test_notebooks_are_mostly_notebooks(place: WorkspacePool) -> None:
    answers = []
    for number in range(60):
        scenario = notebook_scenario(Random(number))
        outcome = replay(scenario, ReferenceAdapter("2.1.7"), place)
        answers += [
            result
            for step, happened in zip(scenario.steps, outcome.steps, strict=False)
            if isinstance(step, ToolCall) and step.tool == "NotebookEdit"
            for result in happened.results
        ]
    edited = sum(not answer.is_error for answer in answers)
    assert len(answers) > 100
    assert edited / len(answers) > 0.2
