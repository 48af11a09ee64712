"""The same scenarios give the same verdicts in any order and number of replays."""

import dataclasses
import random
from pathlib import Path
from typing import Any

import miniatures
import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import (
    Clause,
    Expectation,
    Given,
    ParallelCalls,
    Scenario,
    Step,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests import judging

READ = ToolCall("Read", {"file_path": "$WS/a"}, expect=Expectation(Clause(text="old")))
TOUCH = WorldEvent("touch", "a", mtime=2)
CHANGE = WorldEvent("modify", "a", RegularFile(b"changed"), mtime=None)
NEW = {"a": RegularFile(b"new")}


def write(clause: Clause, during: tuple[WorldEvent, ...] = ()) -> ToolCall:
    return ToolCall("Write", {"file_path": "$WS/a", "content": "new"}, during, Expectation(clause))


DONE = Clause(text="wrote $WS/a", files=NEW)
STALE = Clause(error="modified_since_read", text=miniatures.MODIFIED)
STEPS: list[list[Step]] = [
    [READ, write(DONE)],
    [READ, TOUCH, write(DONE)],
    [READ, CHANGE, write(STALE)],
    [READ, write(Clause(error="unexpectedly_modified"), during=(CHANGE,))],
    [write(Clause(error="not_read", text=miniatures.NOT_READ))],
    [write(DONE)],
    [ParallelCalls((READ, write(Clause(text="wrote $WS/a"))), Expectation(Clause(files=NEW)))],
    [READ, ToolCall("Edit", {"file_path": "$WS/a"}, expect=Expectation(DONE))],
]
SCENARIOS = [
    Scenario(f"family/{number}", "t", "must", Given({"a": RegularFile(b"old")}), tuple(steps), "2.1.7")
    for number, steps in enumerate(STEPS)
]


class Mixed(miniatures.Raises):
    """Correct except for Edit, which raises an exception whose message contains the path of the workspace."""

    reuses_paths = True


class Forgetful(Mixed):
    """Like `Mixed`, but never notices that a file has changed."""

    def call_during(self, tool: str, arguments: Any, interfere: Any) -> ToolResult:
        path = Path(arguments["file_path"])
        if arguments["file_path"] in self.seen:
            self.seen[arguments["file_path"]] = path.read_bytes()
        return super().call_during(tool, arguments, interfere)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", [Mixed, Forgetful])
def test_a_hundred_runs_in_any_order_give_the_same_verdicts(adapter: Any) -> None:
    def judge_scenario(scenario: Scenario, place: WorkspacePool) -> Verdict:
        return dataclasses.replace(judging.judge_scenario(scenario, adapter, place=place), milliseconds=0)

    with WorkspacePool() as place:
        first = {scenario.id: judge_scenario(scenario, place) for scenario in SCENARIOS}
    statuses = [verdict.status for verdict in first.values()]
    stale = "passed" if adapter is Mixed else "failed"
    assert statuses == ["passed", "passed", stale, "passed", "passed", "failed", "passed", "error"]
    order = random.Random(2)
    for _ in range(99):
        with WorkspacePool() as place:
            shuffled = order.sample(SCENARIOS, len(SCENARIOS))
            assert {scenario.id: judge_scenario(scenario, place) for scenario in shuffled} == first
