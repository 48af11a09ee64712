import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError, Workspace
from readfirst.harness.adapters.mcp import Isolation, McpAdapter, McpConnection
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.processes import json_lines_process
from readfirst.harness.replay.interrupt_on_write import WriteWatcher
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.runner import run
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import SUITE, judge_target
from tests.processes import ends_soon_by_command, pids_by_command

MINIATURES = Path(__file__).with_name("mcp_miniatures.py")
Open = Callable[..., McpAdapter]


@pytest.fixture
def open_adapter() -> Iterator[Open]:
    adapters = []

    def start(way: str, *more: str, limit: float = 20.0, isolation: Isolation = "process") -> McpAdapter:
        command = [sys.executable, "-S", str(MINIATURES), way, *more]
        connection = McpConnection(command, isolation=isolation, time_limit=limit)
        try:
            adapters.append(McpAdapter(connection))
        except BaseException:
            connection.close()
            raise
        return adapters[-1]

    yield start
    for adapter in adapters:
        adapter.close()


@pytest.mark.parametrize(
    ("way", "message", "details"),
    [
        ("exits", "the server ended with exit status 3 during Read", "the last words"),
        ("crashes", "the server was killed by SIGSEGV during Read", ""),
        ("garbage", "not an MCP message: hello from the server", ""),
        ("no-result", "the server's answer to Read is not valid MCP", ""),
        ("closes", "the server closed its output during Read", ""),
    ],
)
def test_a_wrong_answer_of_a_server_is_reported_with_its_content(
    open_adapter: Open, workspace: Workspace, way: str, message: str, details: str
) -> None:
    session = open_adapter(way).open(workspace)
    with pytest.raises(AdapterError) as error:
        session.call("Read", {})
    session.close()
    assert message in str(error.value)
    assert details in error.value.details
    assert len(error.value.details) <= 8192


def test_all_processes_of_a_call_that_hangs_are_ended(
    open_adapter: Open, workspace: Workspace, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    session = open_adapter("hangs-with-child", str(started), limit=0.5).open(workspace)
    with pytest.raises(AdapterError, match=r"Read took longer than 0\.5 s"):
        session.call("Read", {})
    assert started.exists()
    assert not pids_by_command(str(started))


CALL_THROUGH_MCP = """
import sys
from pathlib import Path
from readfirst.harness.adapters.mcp import McpAdapter, McpConnection
from readfirst.harness.adapter_api import Workspace
adapter = McpAdapter(McpConnection([sys.executable, "-S", *sys.argv[1:]], time_limit=60))
session = adapter.open(Workspace(Path("/"), Path("/")))
print("open", flush=True)
session.call("Read", {})
"""
"""Makes one call through MCP. The test kills it during the call."""


@pytest.mark.slow
def test_if_the_harness_is_killed_the_server_and_its_child_processes_end(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = [sys.executable, "-c", CALL_THROUGH_MCP, str(MINIATURES), "hangs-with-child", str(started)]
    environment = {**os.environ, "PYTHONPATH": str(MINIATURES.parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as harness:
        assert harness.stdout is not None
        assert harness.stdout.readline() == "open\n"
        deadline = time.monotonic() + 20
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(pids_by_command(str(started))) > 2
        harness.send_signal(signal.SIGKILL)
    assert ends_soon_by_command(str(started))


def test_a_server_that_writes_an_endless_line_is_ended(
    open_adapter: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines_process, "MAX_LINE_BYTES", 100_000)
    with pytest.raises(AdapterError, match="the server wrote more than 100000 bytes without a line end"):
        open_adapter("floods").open(workspace).call("Read", {})


def test_a_json_rpc_error_counts_as_a_refusal_of_the_call(open_adapter: Open, workspace: Workspace) -> None:
    session = open_adapter("error").open(workspace)
    result = session.call("Read", {})
    session.close()
    assert (result.text, result.is_error) == ("no such argument", True)


def test_the_requests_that_a_server_sends_are_answered(open_adapter: Open, workspace: Workspace) -> None:
    session = open_adapter("asks").open(workspace)
    assert session.call("Read", {}).text == "[{}, 'error']"
    session.close()


def test_a_server_may_answer_before_it_has_read_all_calls(open_adapter: Open, workspace: Workspace) -> None:
    session = open_adapter("shows-much").open(workspace)
    results = session.call_parallel([("Read", {"pages": "x" * 300_000})] * 3)
    session.close()
    assert [len(each.text) for each in results] == [500_000] * 3


def test_a_shared_server_process_that_ended_is_replaced(open_adapter: Open, workspace: Workspace) -> None:
    adapter = open_adapter("exits", isolation="directory")
    for _ in range(2):
        with pytest.raises(AdapterError, match="exit status 3"):
            adapter.open(workspace).call("Read", {})


def test_a_server_with_an_unknown_version_of_the_protocol_is_reported(open_adapter: Open) -> None:
    message = "the server's answer to the start is not valid MCP: Unsupported protocol version.*3000-01-01"
    with pytest.raises(AdapterError, match=message):
        open_adapter("from-the-future")


def test_for_a_server_with_other_tool_names_the_error_suggests_a_mapping(open_adapter: Open) -> None:
    with pytest.raises(
        AdapterError, match=r"it offers: my_Read, my_Edit, my_Write.*readfirst targets new-mapping"
    ):
        open_adapter("renamed")


@pytest.mark.parametrize(("word", "denies"), [("$SETTINGS", True), ("settings", False)])
def test_a_server_whose_command_contains_settings_supports_deny_rules(
    open_adapter: Open, word: str, denies: bool
) -> None:
    assert ("deny" in open_adapter("start", word).traits.capabilities) is denies


@pytest.mark.slow
def test_the_reference_passes_the_scenarios_through_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(MINIATURES.parents[2]))
    serve = f"{sys.executable} -m readfirst serve --contract 2.1.7 --settings $SETTINGS"
    ids = (
        "gate/edit-unread",
        "staleness/edit-after-change",
        "parallel/write-then-edit",
        "permissions/edit-denied",
    )
    verdicts = judge_target(f"mcp:--isolation=directory {serve}", *ids)
    assert [verdict.status for verdict in verdicts] == ["passed"] * 4


@pytest.mark.parametrize(
    ("way", "answer", "left"),
    [
        ("stops", "No answer.", None),
        ("stops-and-answers", "it was given up", None),
        ("stops-halfway", "No answer.", "ne"),
    ],
)
def test_a_server_is_notified_when_a_writing_call_is_cancelled(
    open_adapter: Open, workspace: Workspace, way: str, answer: str, left: str | None
) -> None:
    new = workspace.root / "new.txt"
    session = open_adapter(way).open(workspace)
    with WriteWatcher(str(workspace.root)) as watch:
        result = session.call_interrupted(
            "Write", {"file_path": str(new), "content": "new\n"}, "stopped", watch.wait
        )
    session.close()
    assert (result.text, result.is_error) == (answer, True)
    assert (new.read_text() if new.exists() else None) == left


def test_a_partial_file_after_a_cancelled_call_counts_as_lost(open_adapter: Open) -> None:
    scenario = SUITE.scenario("interrupted/new-file-stopped")
    with WorkspacePool() as place:
        outcome = replay(scenario, open_adapter("stops-halfway"), place)
    assert [(harm.kind, harm.path) for harm in harms_of(scenario, outcome)][:1] == [("lost", "new.txt")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of racing.go, which is built first."""
    program = tmp_path_factory.mktemp("racing") / "racing"
    source = Path(__file__).with_name("servers") / "racing.go"
    subprocess.run([shutil.which("go") or "go", "build", "-o", program, source], check=True)
    return program


@pytest.mark.go
@pytest.mark.parametrize("protocol", ["mcp", "lines"])
def test_an_unsynchronized_server_is_detected_by_parallel_calls(server: Path, protocol: str) -> None:
    ids = ["parallel/two-reads"]
    # The reason quotes the end of the output. Without stack traces, the end is the actual error.
    command = f"{protocol}:env GOTRACEBACK=none {server} {protocol}"
    (raced,) = run(SUITE, f"{command} bare", ["2.1.7"], "effects", ids)
    assert raced.status == "error"
    assert "concurrent map writes" in raced.reason
    (locked,) = run(SUITE, f"{command} locked", ["2.1.7"], "effects", ids)
    assert locked.status == "passed"
