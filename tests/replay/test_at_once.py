import threading
from collections.abc import Mapping
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import load_scenario_text
from tests.rows import rows

EDIT = 'Edit: {file_path: $WS/a.txt, old_string: "%s {n}", new_string: "%s {n}"}'
BOTH = f"[[{{{EDIT % ('alpha', 'beta')}}}], [{{{EDIT % ('gamma', 'delta')}}}]]"


def load_scenario(at_once: str, heading: str = "invariant: true") -> Scenario:
    given = 'given: {files: {a.txt: "alpha 1\\ngamma 1\\nalpha 2\\ngamma 2\\n"}}'
    return load_scenario_text(f"{heading}\n{given}\nsteps:\n  - at_once: {at_once}\n", expect=False)


@rows(
    ("at_once", "message"),
    [
        (f"{{times: 0, sessions: {BOTH}}}", "0 is less than the minimum of 1"),
        (f"{{times: true, sessions: {BOTH}}}", "times must be a whole number, not true"),
        (
            "{times: 2, sessions: [[{Read: {file_path: $WS/a.txt}}]]}",
            "sessions needs at least 2 items, not 1",
        ),
        ("{times: 2, sessions: [[], []]}", "The calls of a session, at least one"),
        ("{times: 2, sessions: [[{Read: {file_path: /etc/x}}], []]}", "workspace"),
    ],
)
def test_a_wrong_at_once_event_is_refused(at_once: str, message: str) -> None:
    with pytest.raises(SuiteError, match=message):
        load_scenario(at_once)


def test_two_sessions_act_at_once_only_in_an_invariant() -> None:
    with pytest.raises(SuiteError, match="only in an invariant"):
        load_scenario(f"{{times: 2, sessions: {BOTH}}}", heading="")


class Meeting:
    """Answers a call only after both sessions were called. `last_wins`: the change of one session is lost."""

    def __init__(self, *, last_wins: bool) -> None:
        self.meeting = threading.Barrier(2)
        self.last_wins = last_wins
        self.made = 0
        self.closed = 0
        self.traits = AdapterTraits(frozenset({"Edit", "at_once"}), clone=self.another, close=self.close)

    def another(self) -> "Meeting":
        self.made += 1
        return self

    def close(self) -> None:
        self.closed += 1

    def open(self, workspace: Workspace) -> "Meeting":
        self.file = workspace.root / "a.txt"
        return self

    def call(self, _tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        before = self.file.read_text()
        me = self.meeting.wait(10)
        old, new = str(arguments["old_string"]), str(arguments["new_string"])
        if me and not self.last_wins:
            self.meeting.wait(10)
            before = self.file.read_text()
        self.file.write_text(before.replace(old, new))
        if not me and not self.last_wins:
            self.meeting.wait(10)
        return ToolResult("done")


@pytest.mark.parametrize("last_wins", [True, False])
def test_two_sessions_act_at_the_same_time_and_the_loss_of_a_change_is_detected(
    place: WorkspacePool, last_wins: bool
) -> None:
    scenario = load_scenario(f"{{times: 2, sessions: {BOTH}}}")
    adapter = Meeting(last_wins=last_wins)
    outcome = replay(scenario, adapter, place)
    assert outcome.error is None
    # Two sessions are closed, and the clone that was made for one of them.
    assert (adapter.made, adapter.closed) == (1, 3)
    assert {harm.kind for harm in harms_of(scenario, outcome)} == ({"lost"} if last_wins else set())


def test_an_exception_in_one_session_ends_both(place: WorkspacePool) -> None:
    class Raising(Meeting):
        def call(self, _tool: str, arguments: Mapping[str, Any]) -> ToolResult:
            raise ValueError("no")

    outcome = replay(load_scenario(f"{{times: 2, sessions: {BOTH}}}"), Raising(last_wins=True), place)
    assert outcome.error is not None
    assert (outcome.error.blame, "ValueError" in outcome.error.message) == ("adapter", True)
