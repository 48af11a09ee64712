"""The MCP server, as a client sees it: one process answers all questions of this file."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
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


@dataclass
class Conversation:
    root: Path
    tools: dict[str, types.Tool] = field(default_factory=dict)
    answers: dict[str, types.CallToolResult] = field(default_factory=dict)


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "unread": ("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": "x"}),
    "read": ("Read", {"file_path": "a.txt"}),
    "wrong type": ("Read", {"file_path": 5}),
    "missing": ("Edit", {}),
    "unknown argument": ("Write", {"file_path": "a.txt", "content": "x", "mode": "w"}),
    "unknown tool": ("MultiEdit", {}),
    "edit": ("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": "gamma"}),
    "denied": ("Write", {"file_path": "secret/a.txt", "content": "x"}),
    "home": ("Write", {"file_path": "~/b.txt", "content": "x"}),
    "empty": ("Read", {"file_path": "empty.txt"}),
    "no arguments": ("Read", None),
    "made": ("Write", {"file_path": "notes.md", "content": ""}),
    "apart": ("Edit", {"file_path": "notes.md", "old_string": "a ", "new_string": "a "}),
}


async def talk(conversation: Conversation, settings: Path, home: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM, str(settings)],
        cwd=conversation.root,
        env={"HOME": str(home), "PYTHONPATH": str(PROJECT)},
    )
    async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        conversation.tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        for name, (tool, arguments) in CALLS.items():
            conversation.answers[name] = await session.call_tool(tool, arguments)


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    base = tmp_path_factory.mktemp("server")
    root, home, settings = base / "root", base / "home", base / "settings.json"
    root.mkdir()
    home.mkdir()
    (root / "a.txt").write_text("alpha\n")
    (root / "empty.txt").write_text("")
    settings.write_text(
        json.dumps({"permissions": {"deny": ["Edit(secret/**)"], "allow": ["Read"]}, "model": "x"})
    )
    conversation = Conversation(root)
    asyncio.run(talk(conversation, settings, home))
    return conversation


def answer(conversation: Conversation, name: str) -> tuple[bool, str]:
    result = conversation.answers[name]
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return bool(result.isError), block.text


def test_the_tools_are_offered_with_their_schemas(conversation):
    assert list(conversation.tools) == ["Read", "Edit", "NotebookEdit", "Write"]
    schema = conversation.tools["Edit"].inputSchema
    assert schema["required"] == ["file_path", "old_string", "new_string"]
    assert schema["properties"]["replace_all"]["type"] == "boolean"


@rows(
    ("name", "is_error", "text"),
    [
        ("unread", True, "File has not been read yet. Read it first before writing to it."),
        ("read", False, "     1→alpha\n     2→"),
        ("unknown tool", True, "Error: No such tool available: MultiEdit"),
        ("apart", True, "String to replace not found in file.\nString: a "),
    ],
)
def test_an_answer_is_that_of_the_tool_marked_as_a_refusal_and_not_wrapped(
    conversation, name, is_error, text
):
    assert answer(conversation, name) == (is_error, text)


@rows(
    ("name", "problem"),
    [
        ("wrong type", "The parameter `file_path` type is expected as `string` but provided as `number`"),
        ("missing", "The required parameter `new_string` is missing"),
        ("unknown argument", "An unexpected parameter `mode` was provided"),
        ("no arguments", "The required parameter `file_path` is missing"),
    ],
)
def test_wrong_arguments_get_the_answer_of_the_tool(conversation, name, problem):
    is_error, text = answer(conversation, name)
    assert is_error
    assert text.startswith(f"InputValidationError: {CALLS[name][0]} failed due to the following issue")
    assert text.endswith(problem)


def test_the_session_remembers_what_was_read(conversation):
    is_error, text = answer(conversation, "edit")
    assert not is_error
    assert text.endswith("\n     1→gamma\n     2→")
    assert (conversation.root / "a.txt").read_text() == "gamma\n"


def test_the_rules_of_the_settings_file_hold(conversation):
    assert answer(conversation, "denied") == (
        True,
        "File is in a directory that is denied by your permission settings.",
    )
    assert not (conversation.root / "secret").exists()


def test_the_home_directory_is_that_of_the_environment(conversation):
    assert answer(conversation, "home") == (False, "File created successfully at: ~/b.txt")
    assert (conversation.root.parent / "home/b.txt").read_text() == "x"


def test_a_warning_that_is_the_answer_is_kept(conversation):
    assert answer(conversation, "empty")[1].startswith(
        "<system-reminder>Warning: the file exists but is shorter"
    )


BLANK_EDIT = CALLS["apart"]


def answers_to(messages: list[dict[str, Any]], directory: Path) -> dict[int, str]:
    """What a server answers to calls that all arrive at once, just before its input ends, by id."""
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    start = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(json.dumps({"jsonrpc": "2.0", **each}) for each in [*start, *messages]).encode(),
        capture_output=True,
        cwd=directory,
        env={"PYTHONPATH": str(PROJECT)},
        timeout=60,
        check=True,
    )
    answers = {each["id"]: each["result"] for each in map(json.loads, ended.stdout.splitlines())}
    return {number: answers[number]["content"][0]["text"] for number in answers if number}


@pytest.mark.parametrize("count", [2, 40])
def test_calls_that_arrive_together_are_one_message(tmp_path, count):
    calls = [("Write", {"file_path": "notes.md", "content": ""}), *[BLANK_EDIT] * (count - 1)]
    messages = [
        {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        for number, (tool, arguments) in enumerate(calls, 1)
    ]
    answers = answers_to(messages, tmp_path)
    assert list(answers) == list(range(1, count + 1))
    # The whitespace is cut before the first call of a message is executed: there was no file yet.
    assert {answers[number] for number in range(2, count + 1)} == {
        "No changes to make: old_string and new_string are exactly the same."
    }


def answers_to_lines(folder: Path, *lines: str) -> list[dict[str, Any]]:
    """What the server answers to lines that arrive together."""
    answers = io.BytesIO()
    server = Server(lambda: FileTools("2.1.7", root=folder), "2.1.7", answers)
    for each in lines:
        server.take(each.encode())
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
def test_what_is_no_request_is_said_to_be_none(tmp_path, line, code):
    answer, pong = answers_to_lines(tmp_path, line, '{"id": "a", "method": "ping"}')
    assert answer["error"]["code"] == code
    assert answer["id"] == (1 if code in (-32601, -32602) else None)
    assert (pong["id"], pong["result"]) == ("a", {})


def test_a_handshake_begins_a_session_in_which_nothing_was_read(tmp_path):
    (tmp_path / "a.txt").write_text("alpha\n")
    read, write, again = (
        f'{{"id": {number}, "method": "tools/call", "params": {{"name": "{tool}", "arguments": {arguments}}}}}'
        for number, tool, arguments in (
            (1, "Read", '{"file_path": "a.txt"}'),
            (2, "Write", '{"file_path": "a.txt", "content": "beta"}'),
            (3, "Write", '{"file_path": "a.txt", "content": "gamma"}'),
        )
    )
    hello = '{"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}'
    answers = {each["id"]: each["result"] for each in answers_to_lines(tmp_path, read, write, hello, again)}
    assert [answers[number]["isError"] for number in (1, 2, 3)] == [False, False, True]
    assert (tmp_path / "a.txt").read_text() == "beta"


def test_what_asks_for_nothing_is_not_answered(tmp_path):
    assert answers_to_lines(tmp_path, "", '{"method": "notifications/x"}', '{"id": 1, "result": {}}') == []


def test_a_call_that_is_given_up_before_it_is_made_is_not_made(tmp_path):
    params = {"name": "Write", "arguments": {"file_path": "a.txt", "content": "x"}}
    give_up = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    assert (
        answers_to_lines(
            tmp_path, json.dumps({"id": 1, "method": "tools/call", "params": params}), json.dumps(give_up)
        )
        == []
    )
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(("asked", "spoken"), [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")])
def test_a_version_of_the_protocol_that_is_unknown_gets_the_latest(tmp_path, asked, spoken):
    line = json.dumps({"id": 1, "method": "initialize", "params": {"protocolVersion": asked}})
    assert answers_to_lines(tmp_path, line)[0]["result"]["protocolVersion"] == spoken


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "settings.json:1:2: is not JSON: "),
        ("[]", "settings.json: write the rules as "),
        ('{"permissions": []}', "settings.json: write the rules as "),
        ('{"permissions": {"deny": "Edit"}}', "settings.json: write the rules as "),
        ('{"permissions": {"deny": [5]}}', "settings.json: write the rules as "),
        (b"\xff", "settings.json: is not UTF-8 text"),
        ("[" * 100_000, "settings.json: is nested too deeply"),
        (None, "settings.json: cannot be read: No such file or directory"),
    ],
)
def test_a_bad_settings_file_is_said_to_be_bad(tmp_path, content, message):
    settings = tmp_path / "settings.json"
    if content is not None:
        settings.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SettingsError) as error:
        deny_rules(settings)
    assert str(error.value).startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize("content", ["{}", '{"permissions": {}}', '{"permissions": {"allow": ["Read"]}}'])
def test_settings_without_deny_rules_deny_nothing(tmp_path, content):
    settings = tmp_path / "settings.json"
    settings.write_text(content)
    assert deny_rules(settings) == []


@rows(
    ("contract", "root", "settings", "message"),
    [
        ("9.9.9", "", None, "unknown contract '9.9.9'; the reference knows documented, the versions 0.2.126"),
        ("2.1.7", "missing", None, "is not a directory; --root must name one"),
        (
            "2.1.7",
            "",
            '{"permissions": {"deny": ["Edit("]}}',
            "permissions.deny: 'Edit(' is not a permission rule",
        ),
        ("2.1.7", "", "{", "settings.json:1:2: is not JSON"),
    ],
)
def test_what_cannot_be_served_ends_with_code_2_and_the_reason(
    tmp_path, capsys, contract, root, settings, message
):
    path = None
    if settings is not None:
        path = tmp_path / "settings.json"
        path.write_text(settings)
    with pytest.raises(SystemExit) as ended:
        serve(contract, tmp_path / root, path)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": types.LATEST_PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def started(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "readfirst", "serve"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def line(number: int, body: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **body}).encode() + b"\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_though_it_waits_for_its_input(number: signal.Signals, tmp_path: Path) -> None:
    server = started(tmp_path)
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


def test_calls_that_arrive_in_many_pieces_are_answered(tmp_path: Path) -> None:
    sent = line(1, INITIALIZE)
    sent += json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n"
    for number, name in enumerate(("a.txt", "b.txt"), 2):
        arguments = {"file_path": str(tmp_path / name), "content": "line\n" * 250_000}
        sent += line(number, {"method": "tools/call", "params": {"name": "Write", "arguments": arguments}})
    server = started(tmp_path)
    try:
        output, _ = server.communicate(sent, timeout=20)
    finally:
        server.kill()
    assert [json.loads(each)["id"] for each in output.splitlines()] == [1, 2, 3]
    assert (tmp_path / "b.txt").stat().st_size == 1_250_000
