import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Protocol

import pytest

from readfirst.harness.adapter_api import AdapterError, ToolResult, Workspace
from readfirst.harness.adapters.python_adapter import FactoryError, PythonAdapter, _pack_modules
from readfirst.harness.adapters.reference import reference_server
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.targets.tool_host import MODULE as TOOL_HOST
from tests.processes import is_running, pids_by_command

TIME_LIMIT = 0.3
"""Of a call, in seconds."""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The implementations can be imported from this directory."""
    monkeypatch.chdir(Path(__file__).parent)


class Open(Protocol):
    def __call__(self, name: str, start_limit: float = 30) -> PythonAdapter: ...


@pytest.fixture
def open_adapter() -> Iterator[Open]:
    """Opens an adapter of miniatures.py. After the test, all its adapters are closed."""
    with ExitStack() as opened:

        def start(name: str, start_limit: float = 30) -> PythonAdapter:
            adapter = PythonAdapter("miniatures", name, time_limit=TIME_LIMIT, start_limit=start_limit)
            return opened.enter_context(closing(adapter))

        yield start


def test_special_characters_return_unchanged_from_the_process(
    open_adapter: Open, workspace: Workspace
) -> None:
    path = workspace.root / "a.txt"
    path.write_bytes("\x00\r\n\u2028é😀".encode())
    read = open_adapter("Honest").open(workspace).call("Read", {"file_path": str(path)})
    assert read.text == "\x00\r\n\u2028é😀"


@pytest.mark.parametrize("name", ["Honest", "AsyncTools", "AsyncCallsInAList"])
def test_parallel_calls_and_races_reach_the_process(
    open_adapter: Open, place: WorkspacePool, name: str
) -> None:
    write = ToolCall("Write", {"file_path": "$WS/a", "content": "new"})
    race = ToolCall("Write", write.arguments, (WorldEvent("modify", "a", RegularFile(b"raced"), mtime=2),))
    read = ToolCall("Read", {"file_path": "$WS/a"})
    given = Given({"a": RegularFile(b"old")})
    scenario = Scenario("a/b", "t", "must", given, (ParallelCalls((read, write)), race))
    outcome = replay(scenario, open_adapter(name), place)
    assert outcome.error is None
    assert outcome.steps[0].results == (ToolResult("old"), ToolResult("wrote $WS/a"))
    assert outcome.steps[1].interfered
    assert outcome.steps[1].results[0].is_error


def test_every_optional_method_can_be_a_coroutine(open_adapter: Open, workspace: Workspace) -> None:
    session: Any = open_adapter("AsyncTools").open(workspace)
    session.resume()
    session.compact()
    session.rewind()
    session.mention(str(workspace.root / "notes.txt"))
    for agent in (session.sub_agent(), session.background_agent()):
        assert agent.call("Write", {"file_path": str(workspace.root / "new"), "content": "new"}).text
        agent.close()
    write = {"file_path": str(workspace.root / "long"), "content": "new"}
    assert not session.call_interrupted("Write", write, "stopped", lambda: None).is_error
    session.close()
    done = ["resume", "compact", "rewind", "mention notes.txt", "agent", "agent", "close", "close", "close"]
    assert (workspace.home / "log").read_text().split("\n") == [*done, ""]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("HangsInC", "Edit took longer than 0.3 s", marks=pytest.mark.slow),
        pytest.param("FloodsOutput", "Edit took longer than 0.3 s", marks=pytest.mark.slow),
        ("HangsStubbornly", "Edit took longer than 0.3 s"),
        ("LeavesAChildBehind", "the adapter ended with exit status 5 during Edit"),
        ("Raises", "the adapter has a problem with Edit: it raised ValueError: no idea"),
        ("WritesIntoEveryStream", "answered with something that is not a JSON object: GET / HTTP/1.1"),
        ("AnswersNothing", "the adapter has a problem with Edit: the answer is None, not a ToolResult"),
    ],
)
def test_a_misbehaving_implementation_is_an_error_within_the_time_limit_and_the_next_session_works(
    open_adapter: Open, workspace: Workspace, name: str, message: str
) -> None:
    adapter = open_adapter(name)
    session = adapter.open(workspace)
    started = time.monotonic()
    with pytest.raises(AdapterError) as error:
        session.call("Edit", {})
    assert time.monotonic() - started < TIME_LIMIT + 2
    assert message in str(error.value)
    assert error.value.blame == "adapter"
    assert not pids_by_command(str(workspace.root)), "a child process was left"
    session.close()
    (workspace.root / "a.txt").write_text("fine")
    assert adapter.open(workspace).call("Read", {"file_path": str(workspace.root / "a.txt")}).text == "fine"


def test_printed_text_does_not_mix_with_answers(open_adapter: Open, workspace: Workspace) -> None:
    assert open_adapter("Chatters").open(workspace).call("Edit", {}) == ToolResult("done")


def test_a_call_after_the_process_has_ended_is_an_error(open_adapter: Open, workspace: Workspace) -> None:
    session = open_adapter("Exits").open(workspace)
    with pytest.raises(AdapterError):
        session.call("Edit", {})
    with pytest.raises(AdapterError, match="had already ended"):
        session.call("Edit", {})
    session.close()


def test_missing_optional_methods_are_reported(open_adapter: Open, workspace: Workspace) -> None:
    session = open_adapter("Pretends").open(workspace)
    with pytest.raises(AdapterError, match="its session has no call_parallel"):
        session.call_parallel([("Read", {})])
    with pytest.raises(AdapterError, match="its session has no call_during"):
        session.call_during("Read", {}, lambda: None)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("NOT_CALLABLE", "miniatures:NOT_CALLABLE is 3: neither an object with open() nor callable."),
        ("not_an_adapter", "miniatures:not_an_adapter returned 3, which has no method open(workspace)."),
    ],
)
def test_a_factory_that_returns_no_adapter_is_reported(
    open_adapter: Open, factory: str, message: str
) -> None:
    with pytest.raises(FactoryError) as error:
        open_adapter(factory).start()
    assert str(error.value) == message


def test_a_module_of_an_adapter_that_is_missing_or_raises_an_exception_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    python = re.escape(f"the Python that runs readfirst, {sys.executable}: install the package there")
    with pytest.raises(FactoryError, match=f"there is no module nowhere in .*{python}"):
        PythonAdapter("nowhere", "Tools").start()
    (tmp_path / "needs.py").write_text("import nowhere.at_all")
    with pytest.raises(FactoryError, match=f"needs the module nowhere, which is not there.*{python}"):
        PythonAdapter("needs", "Tools").start()
    (tmp_path / "broken.py").write_text("import json\njson.nothing")
    with pytest.raises(AdapterError, match="the start: it raised AttributeError: "):
        PythonAdapter("broken", "Tools").start()


def test_a_factory_that_never_returns_is_stopped_after_the_time_limit(open_adapter: Open) -> None:
    late = r"the start took longer than 0\.4 s.* A slow machine needs a higher --time-limit"
    with pytest.raises(AdapterError, match=late) as raised:
        open_adapter("never_ready", start_limit=0.4).start()
    assert raised.value.blame == "adapter"


def test_a_slow_start_of_the_reference_is_attributed_to_the_environment() -> None:
    reference = reference_server("2.1.7")
    reference._start_limit = 0.01
    with pytest.raises(AdapterError, match="needs a higher --time-limit") as raised:
        reference.start()
    assert raised.value.blame == "environment"


def test_a_closed_adapter_leaves_no_process(open_adapter: Open, workspace: Workspace) -> None:
    adapter = open_adapter("Honest")
    adapter.open(workspace)
    assert adapter.pid is not None
    pid = adapter.pid
    assert is_running(pid)
    adapter.close()
    assert not is_running(pid)
    assert adapter.pid is None


def test_the_archive_contains_all_modules_that_the_tool_host_imports(tmp_path: Path) -> None:
    """The Python of a target does not have readfirst installed, and needs all modules that the tool host imports."""
    kit = tmp_path / "kit.zip"
    kit.write_bytes(_pack_modules((TOOL_HOST,)))
    program = f"import sys; sys.path.insert(0, {str(kit)!r}); import {TOOL_HOST}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
