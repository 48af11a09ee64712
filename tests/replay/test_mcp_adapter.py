import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError, Workspace
from readfirst.harness.adapters.mcp import Isolation, McpAdapter, McpConnection
from readfirst.harness.replay.interrupt_on_write import WriteWatcher
from readfirst.harness.run.runner import run
from tests.judging import SUITE, judge_target
from tests.processes import pids_by_command

MINIATURES = Path(__file__).with_name("mcp_miniatures.py")
Open = Callable[..., McpAdapter]


@pytest.fixture
def open_adapter() -> Iterator[Open]:
    with ExitStack() as opened:

        def start(way: str, *more: str, limit: float = 20.0, isolation: Isolation = "process") -> McpAdapter:
            command = [sys.executable, "-S", str(MINIATURES), way, *more]
            connection = McpConnection(command, isolation=isolation, time_limit=limit)
            opened.callback(connection.close)
            return McpAdapter(connection)

        yield start


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
    assert message in str(error.value)
    assert details in error.value.details
    assert len(error.value.details) <= 8192


def test_a_call_that_hangs_leaves_no_process(
    open_adapter: Open, workspace: Workspace, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    session = open_adapter("hangs-with-child", str(started), limit=0.5).open(workspace)
    with pytest.raises(AdapterError, match=r"Read took longer than 0\.5 s"):
        session.call("Read", {})
    assert started.exists()
    assert not pids_by_command(str(started))


@pytest.mark.parametrize(
    ("way", "text", "is_error"), [("error", "no such argument", True), ("asks", "[{}, 'error']", False)]
)
def test_a_json_rpc_error_counts_as_a_refusal_and_the_requests_of_a_server_are_answered(
    open_adapter: Open, workspace: Workspace, way: str, text: str, is_error: bool
) -> None:
    result = open_adapter(way).open(workspace).call("Read", {})
    assert (result.text, result.is_error) == (text, is_error)


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


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("from-the-future", "answer to the start is not valid MCP: Unsupported protocol version.*3000-01-01"),
        ("renamed", "it offers: my_Read, my_Edit, my_Write.*readfirst targets new-mapping"),
    ],
)
def test_an_unknown_protocol_version_or_tool_name_is_reported(
    open_adapter: Open, way: str, message: str
) -> None:
    with pytest.raises(AdapterError, match=message):
        open_adapter(way)


@pytest.mark.parametrize(("word", "denies"), [("$SETTINGS", True), ("settings", False)])
def test_a_server_with_settings_in_its_command_supports_deny(
    open_adapter: Open, word: str, denies: bool
) -> None:
    assert ("deny" in open_adapter("start", word).traits.capabilities) is denies


@pytest.mark.slow
def test_the_reference_passes_the_scenarios_through_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(MINIATURES.parents[2]))
    serve = f"{sys.executable} -m readfirst serve --contract 2.1.7 --settings $SETTINGS"
    ids = ["gate/edit-unread", "staleness/edit-after-change"]
    ids += ["parallel/write-then-edit", "permissions/edit-denied"]
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
