"""`check-adapter` and scenarios with long calls detect a server that cannot read lines of more than 64 KiB."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapters.json_lines import LinesAdapter
from readfirst.harness.adapters.mcp import McpAdapter, McpConnection
from readfirst.harness.run.check_adapter import plan_checks, run_checks
from readfirst.harness.run.runner import run
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import SUITE

SERVER = """
import sys
from readfirst.harness.adapters.json_lines_server import serve_lines
from readfirst.harness.adapters.reference import ReferenceAdapter

class Lines:
    def readline(self):
        line = sys.stdin.buffer.readline(LIMIT)
        if line and not line.endswith(b"\\n"):
            sys.exit("a line is longer than the buffer")
        return line

serve_lines(lambda: ReferenceAdapter("2.1.7"), "buffered", "1", Lines(), sys.stdout.buffer)
"""

MCP_SERVER = """
import json, sys
from pathlib import Path

def called(name, given):
    path = Path(given["file_path"])
    if name == "Write":
        path.write_text(given["content"])
    text = path.read_text() if path.exists() else ""
    if name == "Edit":
        if given["old_string"] not in text:
            return ""
        path.write_text(text.replace(given["old_string"], given["new_string"]))
    return text

while line := sys.stdin.buffer.readline(LIMIT):
    if not line.endswith(b"\\n"):
        sys.exit("a line is longer than the buffer")
    message = json.loads(line)
    given = message.get("params") or {}
    if message["method"] == "initialize":
        server = {"name": "buffered", "version": "1"}
        result = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]}
    elif message["method"] == "tools/call":
        text = called(given["name"], given["arguments"])
        result = {"content": [{"type": "text", "text": text}], "isError": not text}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


MEGABYTES = "calls of one and of eight megabytes arrive, and the next one, too"
GIVEN_UP = "a Write that is given up while it writes leaves a complete file or none"


@pytest.mark.parametrize(
    ("server", "limit", "found"),
    [
        (SERVER, 2**22, [MEGABYTES]),
        *(
            pytest.param(server, limit, found, marks=pytest.mark.slow)
            for server in (SERVER, MCP_SERVER)
            for limit, found in ((2**16, [MEGABYTES, GIVEN_UP]), (2**24, []))
        ),
    ],
)
def test_check_adapter_finds_a_short_buffer(
    server: str, limit: int, found: list[str], tmp_path: Path
) -> None:
    program = tmp_path / "server.py"
    program.write_text(server.replace("LIMIT", str(limit)))
    command = [sys.executable, str(program)]
    adapter: Any
    if server == MCP_SERVER:
        adapter = McpAdapter(McpConnection(command, time_limit=20))
    else:
        adapter = LinesAdapter(command, time_limit=10)
        adapter.start()
    with WorkspacePool() as place:
        problems = {
            check.name: check.problem for check in run_checks(plan_checks(adapter, place)) if check.problem
        }
    adapter.close()
    assert list(problems) == found
    assert all("a line is longer than the buffer" in each for each in problems.values())


@pytest.mark.parametrize(
    ("limit", "statuses"),
    [
        pytest.param(2**16, ["passed", *["error"] * 4], marks=pytest.mark.slow),
        (2**22, ["passed", "passed", "passed", "passed", "error"]),
        pytest.param(2**24, ["passed"] * 5, marks=pytest.mark.slow),
    ],
)
def test_scenarios_with_long_calls_find_it(limit: int, statuses: list[str], tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(MCP_SERVER.replace("LIMIT", str(limit)))
    target = f"mcp:--isolation=directory {shlex.join([sys.executable, '-S', str(program)])}"
    ids = [
        "opaque-content/writes-around-4096-bytes",
        "opaque-content/writes-around-65536-bytes",
        *(f"large-messages/{each}" for each in ("refusal-of-64-kib", "write-of-1-mib", "write-of-8-mib")),
    ]
    ran = run(SUITE, target, ["2.1.7"], "effects", ids)
    found = {each.scenario_id: each.status for each in ran}
    assert [found[each] for each in ids] == statuses
