from contextlib import closing
from itertools import pairwise
from typing import ClassVar

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.transcribe import transcribe
from readfirst.harness.replay.recording_adapter import recorded_outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Given, Scenario, SessionEvent, Step, ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import SUITE, load_scenario_text
from tests.replay import answering
from tests.rows import rows

READ = ToolCall("Read", {"file_path": "$WS/a.txt"})
RESUME, COMPACT, REWIND, AGENT, END = (
    SessionEvent(kind) for kind in ("resume", "compact", "rewind", "agent", "end")
)
MENTION = SessionEvent("mention", path="a.txt")


def scenario(*steps: Step) -> Scenario:
    return Scenario("family/slug", "title", "must", Given({"a.txt": RegularFile(b"a")}), steps)


def load_scenario(steps: str) -> Scenario:
    return load_scenario_text(f"steps:\n{steps}", expect=False)


@rows(
    ("steps", "message"),
    [
        ("  - resume: now\n", "resume must be a mapping, not a string"),
        ("  - compact: [1]\n", "compact must be a mapping, not a list"),
        ("  - rewind: 1\n  - Read: {file_path: $WS/a.txt}\n", "rewind must be a mapping, not a number"),
        ("  - rewind: {}\n  - touch: a\n", "rewind is not followed by a call"),
        ("  - rewind: {}\n", "rewind is not followed by a call"),
        ("  - agent: {steps: [{rewind: {}}]}\n", "rewind is not a step of a sub-agent"),
        ("  - mention: ../a\n", "leaves the workspace"),
        ("  - mention: [a]\n", "must be a string"),
        ("  - agent: {}\n", "lacks the key 'steps'"),
        ("  - agent: {steps: []}\n", "steps is empty"),
        ("  - agent: {steps: [{resume: {}}]}\n", "resume is not a step of a sub-agent"),
        ("  - agent: {steps: [{agent: {steps: [{touch: a}]}}]}\n", "agent is not a step of a sub-agent"),
        ("  - agent: {steps: [{touch: a}], name: x}\n", "'name'"),
    ],
)
def test_an_invalid_event_of_the_conversation_is_reported(steps: str, message: str) -> None:
    with pytest.raises(SuiteError) as error:
        load_scenario(steps)
    assert message in str(error.value)


class Writing(answering.CallLog):
    times: ClassVar[list[int]] = []

    def open(self, workspace: Workspace) -> "Writing":
        writing = Writing()
        writing.path = workspace.root / "a.txt"
        return writing

    def call(self, tool: str, arguments: object) -> ToolResult:
        self.path.write_text(tool)
        self.times.append(self.path.stat().st_mtime_ns)
        return ToolResult("")


def test_files_written_by_two_sessions_never_have_the_same_time(place: WorkspacePool) -> None:
    other, back = SessionEvent("other"), SessionEvent("back")
    adapter = Writing()
    outcome = replay(scenario(*[READ, other, READ, back] * 20), adapter, place)
    assert outcome.error is None
    assert len(adapter.times) == 40
    assert min(after - before for before, after in pairwise(adapter.times)) >= 1_000_000


def test_a_sub_agent_that_was_not_ended_is_closed_before_its_session(place: WorkspacePool) -> None:
    diary = answering.CallLog()
    diary.open = lambda _: diary
    replay(scenario(AGENT, READ), diary, place)
    assert diary.entries[-2:] == ["agent ends", "main ends"]


def test_events_of_the_conversation_reach_an_implementation_in_a_process(place: WorkspacePool) -> None:
    steps = (READ, RESUME, COMPACT, REWIND, READ, MENTION, AGENT, READ, END, READ)
    with closing(PythonAdapter(answering.__file__, "CallLog", time_limit=30)) as adapter:
        outcome = replay(scenario(*steps), adapter, place)
        assert adapter.traits.capabilities == answering.CallLog.capabilities | {"kill", "sessions"}
    assert outcome.error is None
    log = "main rewinds, main Read, a.txt is mentioned and exists, agent Read, agent ends, main Read"
    assert outcome.steps[-1].results[0].text.endswith(log)


def test_a_recording_contains_the_calls_of_a_sub_agent_in_order(place: WorkspacePool) -> None:
    asked = scenario(READ, AGENT, READ, END, RESUME, COMPACT, READ)
    outcome = replay(asked, ReferenceAdapter("2.1.7"), place)
    again = recorded_outcome(asked, transcribe(asked, outcome, SUITE.vocabulary))
    assert again.error is None
    assert [step.results for step in again.steps] == [step.results for step in outcome.steps]
