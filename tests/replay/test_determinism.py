import dataclasses
import random
from pathlib import Path
from typing import Any

import miniatures
import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_scenario

IDS = (
    "gate/edit-unread",
    "gate/write-after-read",
    "gate/write-unread",
    "creation/write-creates",
    "parallel/two-reads",
    "race/write-changed-during-call",
    "staleness/deleted-then-write",
)


class Mixed(miniatures.Raises):
    """Correct except for an Edit, which raises an exception with the path of the workspace."""

    reuses_paths = True


class Forgetful(Mixed):
    """Like `Mixed`, but a change by another program during a call is not noticed."""

    def call_during(self, tool: str, arguments: Any, interfere: Any) -> ToolResult:
        if arguments["file_path"] in self.seen:
            self.seen[arguments["file_path"]] = Path(arguments["file_path"]).read_bytes()
        return super().call_during(tool, arguments, interfere)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", [Mixed, Forgetful])
def test_a_hundred_runs_in_any_order_give_the_same_verdicts(adapter: Any) -> None:
    def judge_all(ids: list[str]) -> dict[str, Verdict]:
        with WorkspacePool() as place:
            verdicts = {each: judge_scenario(each, adapter, place=place) for each in ids}
        return {each: dataclasses.replace(verdict, milliseconds=0) for each, verdict in verdicts.items()}

    first = judge_all([*IDS])
    assert {verdict.status for verdict in first.values()} == {"passed", "failed", "error"}
    order = random.Random(2)
    for _ in range(99):
        assert judge_all(order.sample(IDS, len(IDS))) == first
