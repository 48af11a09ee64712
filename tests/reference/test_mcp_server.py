import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

from readfirst.reference_impl.file_tools import FileTools
from readfirst.reference_impl.server import Server, SettingsError, deny_rules, serve
from tests.rows import rows

PROJECT = Path(__file__).parents[2]
PROGRAM = (
    "import sys; from pathlib import Path; from readfirst.reference_impl.server import serve; "
    "serve('2.1.7', None, Path(sys.argv[1]) if sys.argv[1:] else None)"
)
"""Starts the server with the settings file in its first argument, if any."""

BLANK_EDIT = {"file_path": "notes.md", "old_string": "a ", "new_string": "a "}
BLANK = {"content": ""}
CREATED = "File created successfully at: "
CALLS: tuple[tuple[str, dict[str, Any] | None, bool, str], ...] = (
    ("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": ""}, True, "File has not been read"),
    ("Read", {"file_path": "a.txt"}, False, "     1→alpha\n     2→"),
    ("MultiEdit", {}, True, "Error: No such tool available: MultiEdit"),
    ("Read", None, True, "InputValidationError: Read failed due to the following issue"),
    ("Write", {"file_path": "secret/a.txt", "content": "x"}, True, "File is in a directory that is denied"),
    ("Write", {"file_path": "~/b.txt", "content": "x"}, False, f"{CREATED}~/b.txt"),
    ("Read", {"file_path": "empty.txt"}, False, "<system-reminder>Warning: the file exists but is shorter"),
    ("Write", {"file_path": "notes.md", "content": ""}, False, f"{CREATED}notes.md"),
    ("Edit", BLANK_EDIT, True, "String to replace not found in file.\nString: a "),
)


async def talk(folder: Path, home: Path, settings: Path) -> tuple[list[Any], list[Any]]:
    """Return the tools that the server offers to a client, and its answers to `CALLS`."""
    variables = {"HOME": str(home), "PYTHONPATH": str(PROJECT)}
    words = ["-c", PROGRAM, str(settings)]
    server = StdioServerParameters(command=sys.executable, args=words, cwd=folder, env=variables)
    async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        return tools, [await session.call_tool(tool, arguments) for tool, arguments, *_ in CALLS]


def test_the_tools_and_answers_of_a_server_depend_on_its_settings(tmp_path):
    root, home, settings = tmp_path / "root", tmp_path / "home", tmp_path / "settings.json"
    root.mkdir()
    home.mkdir()
    (root / "a.txt").write_text("alpha\n")
    (root / "empty.txt").write_text("")
    permissions = {"deny": ["Edit(secret/**)"], "allow": ["Read"]}
    settings.write_text(json.dumps({"permissions": permissions, "model": "x"}))
    tools, answers = asyncio.run(talk(root, home, settings))
    assert [tool.name for tool in tools] == ["Read", "Edit", "NotebookEdit", "Write"]
    schema = tools[1].inputSchema
    assert schema["required"] == ["file_path", "old_string", "new_string"]
    assert schema["properties"]["replace_all"]["type"] == "boolean"
    for result, (*_, is_error, begins) in zip(answers, CALLS, strict=True):
        (block,) = result.content
        assert isinstance(block, types.TextContent)
        assert (bool(result.isError), block.text[: len(begins)]) == (is_error, begins)
    assert not (root / "secret").exists()
    assert (home / "b.txt").read_text() == "x"


def answers_to_lines(folder: Path, *lines: str) -> list[dict[str, Any]]:
    answers = io.BytesIO()
    server = Server(lambda: FileTools("2.1.7", root=folder), "2.1.7", answers)
    for each in lines:
        server.receive(each.encode())
    server.execute()
    return [*map(json.loads, answers.getvalue().splitlines())]


@rows(
    ("line", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("5", -32600),
        ('{"id": null, "method": "ping"}', -32600),
        ('{"id": 1.5, "method": "ping"}', -32600),
        ('{"id": 1}', -32600),
        ('{"id": 1, "method": "resources/list"}', -32601),
        ('{"id": 1, "method": "initialize"}', -32602),
        ('{"id": 1, "method": "tools/call", "params": {"arguments": {}}}', -32602),
        ('{"id": 1, "method": "tools/call", "params": {"name": "Read", "arguments": "a.txt"}}', -32602),
        ('{"id": 1, "method": "tools/call", "params": [5]}', -32602),
    ],
)
def test_an_invalid_request_is_answered_with_an_error_code(tmp_path, line, code):
    answer, pong = answers_to_lines(tmp_path, line, '{"id": "a", "method": "ping"}')
    assert answer["error"]["code"] == code
    assert answer["id"] == (1 if code in (-32601, -32602) else None)
    assert (pong["id"], pong["result"]) == ("a", {})


def test_a_handshake_starts_a_new_session(tmp_path):
    (tmp_path / "a.txt").write_text("alpha\n")
    read, write, again = (
        call_line(number, name, **{"file_path": "a.txt", **more}).decode()
        for number, name, more in ((1, "Read", {}), (2, "Write", {"content": "beta"}), (3, "Write", BLANK))
    )
    hello = '{"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}'
    answers = {each["id"]: each["result"] for each in answers_to_lines(tmp_path, read, write, hello, again)}
    assert [answers[number]["isError"] for number in (1, 2, 3)] == [False, False, True]
    assert (tmp_path / "a.txt").read_text() == "beta"


def test_notifications_and_empty_lines_are_not_answered(tmp_path):
    assert answers_to_lines(tmp_path, "", '{"method": "notifications/x"}', '{"id": 1, "result": {}}') == []


def test_a_cancelled_call_is_not_executed(tmp_path):
    call = call_line(1, "Write", file_path="a.txt", content="x").decode()
    give_up = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assert answers_to_lines(tmp_path, call, json.dumps(give_up)) == []
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(("asked", "spoken"), [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")])
def test_an_unknown_protocol_version_is_answered_with_the_latest_version(tmp_path, asked, spoken):
    line = json.dumps({"id": 1, "method": "initialize", "params": {"protocolVersion": asked}})
    assert answers_to_lines(tmp_path, line)[0]["result"]["protocolVersion"] == spoken


WRITE_THEM_SO = "settings.json: write the rules as "


@rows(
    ("content", "message"),
    [
        (b"{", "settings.json:1:2: is not JSON: "),
        *((each, WRITE_THEM_SO) for each in (b"[]", b'{"permissions": []}')),
        *((b'{"permissions": {"deny": %s}}' % each, WRITE_THEM_SO) for each in (b'"Edit"', b"[5]")),
        (b"\xff", "settings.json: is not UTF-8 text"),
        (b"[" * 100_000, "settings.json: is nested too deeply"),
        (None, "settings.json: cannot be read: No such file or directory"),
    ],
)
def test_an_invalid_settings_file_is_refused(tmp_path, content, message):
    settings = tmp_path / "settings.json"
    settings.unlink(missing_ok=True)
    if content is not None:
        settings.write_bytes(content)
    with pytest.raises(SettingsError) as error:
        deny_rules(settings)
    assert str(error.value).startswith(f"{tmp_path}/{message}")


@rows(
    ("contract", "root", "settings", "message"),
    [
        ("9.9.9", "", None, "unknown contract '9.9.9'; the reference knows documented, the versions 0.2.126"),
        ("2.1.7", "missing", None, "is not a directory; --root must name one"),
        ("2.1.7", "", '{"permissions": {"deny": ["Edit("]}}', "'Edit(' is not a permission rule"),
        ("2.1.7", "", "{", "settings.json:1:2: is not JSON"),
    ],
)
def test_invalid_options_end_with_code_2(tmp_path, capsys, contract, root, settings, message):
    path = tmp_path / "settings.json"
    path.write_text(settings or "")
    with pytest.raises(SystemExit) as ended:
        serve(contract, tmp_path / root, path if settings else None)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


CLIENT = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
PARAMS = {"protocolVersion": types.LATEST_PROTOCOL_VERSION, **CLIENT}
INITIALIZE = {"method": "initialize", "params": PARAMS}


def start_server(folder: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "readfirst", "serve"]
    variables = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.Popen(words, cwd=folder, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def line(number: int, body: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **body}).encode() + b"\n"


def call_line(number: int, tool: str, **arguments: Any) -> bytes:
    return line(number, {"method": "tools/call", "params": {"name": tool, "arguments": arguments}})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_waiting_server(number: signal.Signals, tmp_path: Path) -> None:
    server = start_server(tmp_path)
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(line(1, INITIALIZE))
        server.stdin.flush()
        assert b'"serverInfo"' in server.stdout.readline()
        server.send_signal(number)
        assert server.wait(5) == 128 + number
    finally:
        server.kill()
        server.communicate()


def answers_to(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers of a server to calls that arrive together, just before its input ends."""
    sent = line(1, INITIALIZE)
    sent += json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n"
    for number, (tool, arguments) in enumerate(calls, 2):
        sent += call_line(number, tool, **arguments)
    server = start_server(folder)
    try:
        output, _ = server.communicate(sent, timeout=20)
    finally:
        server.kill()
    answers = [*map(json.loads, output.splitlines())]
    assert [each["id"] for each in answers] == [*range(1, len(calls) + 2)]
    return answers[1:]


def test_the_server_answers_calls_with_long_arguments(tmp_path: Path) -> None:
    content = "line\n" * 250_000
    answers_to(tmp_path, *(("Write", {"file_path": name, "content": content}) for name in ("a.txt", "b.txt")))
    assert (tmp_path / "b.txt").stat().st_size == 1_250_000


@pytest.mark.parametrize("count", [2, 40])
def test_calls_that_arrive_together_are_executed_as_parallel_calls(tmp_path: Path, count: int) -> None:
    created = ("Write", {"file_path": "notes.md", "content": ""})
    _, *answers = answers_to(tmp_path, created, *[("Edit", BLANK_EDIT)] * (count - 1))
    # The server strips whitespace before it executes the first call of a message, when the file does not exist yet.
    same = "No changes to make: old_string and new_string are exactly the same."
    assert {each["result"]["content"][0]["text"] for each in answers} == {same}
