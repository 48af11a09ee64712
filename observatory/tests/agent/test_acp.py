"""Agents in an editor: the scripted client of the Agent Client Protocol, tested with a substitute for an agent."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.workspace.contained_file import ScriptedEditor
from readfirst.observatory.agents.acp import AcpClient
from readfirst.observatory.targets.adapter import TargetAdapter
from readfirst.observatory.targets.agent import AgentTarget
from readfirst.observatory.targets.install import TargetEnvironment
from readfirst.observatory.targets.mapping import AgentLaunch, load_target
from tests.judging import judge_scenario

FAKE = Path(__file__).with_name("fake_acp_agent.py")
MAPPING = """
title: A stand-in
kind: agent
versions: {"1.0.0": {npm: ["stand-in@1.0.0"]}}
agent:
  wire: anthropic
  command: ["false"]
  acp: [$PYTHON, -I, FAKE, $URL, WAY]
tools:
  Read: {call: Read, arguments: {}}
  Edit: {call: Edit, arguments: {}}
  Write: {call: Write, arguments: {}}
result: {error: {flag: true}}
"""
Play = Callable[[str, str], Verdict]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    opened = []

    def play(way: str, scenario_id: str) -> Verdict:
        file = tmp_path / "stand-in.yaml"
        file.write_text(MAPPING.replace("FAKE", str(FAKE)).replace("WAY", way))
        target = load_target(file)
        assert isinstance(target.launch, AgentLaunch)
        adapter = TargetAdapter(
            target, AgentTarget(target, target.launch, TargetEnvironment(tmp_path, sys.executable), 10.0)
        )
        opened.append(adapter)
        assert "buffers" in adapter.traits.capabilities
        return judge_scenario(scenario_id, adapter, harm=True)

    yield play
    for adapter in opened:
        adapter.close()


def test_an_agent_that_reads_and_writes_through_the_editor_keeps_what_was_typed(play: Play) -> None:
    verdict = play("editor", "unsaved-buffers/typed-before-the-read")
    assert (verdict.status, verdict.harms, verdict.reason) == ("passed", (), "")


def test_an_agent_that_writes_past_the_editor_is_caught(play: Play) -> None:
    verdict = play("disk", "unsaved-buffers/typed-before-the-read")
    assert (verdict.status, {each.kind for each in verdict.harms}) == ("failed", {"untrue"})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Callable[..., list[Any]]]:
    """A function that passes messages of an agent to an AcpClient, and returns the client's replies."""
    root = tmp_path / "w"
    root.mkdir()
    (root / "notes.txt").write_text("one\ntwo\nthree\n")
    (root / "out").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    editor = ScriptedEditor(lambda: str(root))
    editor.set_unsaved("notes.txt", RegularFile(b"one\ntyped\nthree\n"))
    made = AcpClient(tmp_path, root, "go", editor)
    said = os.open(made.input_pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert json.loads(os.read(said, 65536))["method"] == "initialize"

    def exchange_messages(*messages: object) -> list[Any]:
        for message in messages:
            made.hear(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        try:
            return [json.loads(line) for line in os.read(said, 65536).splitlines()]
        except BlockingIOError:
            return []

    yield exchange_messages
    made.hang_up()
    os.close(said)


def make_request(method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def test_a_part_of_a_buffer_is_read_by_lines(client: Callable[..., list[Any]], tmp_path: Path) -> None:
    path = str(tmp_path / "w/notes.txt")
    [answer] = client(make_request("fs/read_text_file", path=path, line=2, limit=1))
    assert answer == {"jsonrpc": "2.0", "id": 7, "result": {"content": "typed"}}


def test_what_is_written_through_the_editor_is_saved_and_no_longer_unsaved(
    client: Callable[..., list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "w/notes.txt"
    assert client(make_request("fs/write_text_file", path=str(path), content="new\n"))[0]["result"] == {}
    assert path.read_text() == "new\n"
    path.write_text("by somebody else\n")
    assert (
        client(make_request("fs/read_text_file", path=str(path)))[0]["result"]["content"]
        == "by somebody else\n"
    )


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (make_request("fs/read_text_file", path="missing.txt"), -32002),
        (make_request("fs/read_text_file", path="/etc/hostname"), -32603),
        (make_request("fs/write_text_file", path="../out.txt", content="x"), -32603),
        (make_request("fs/write_text_file", path="notes.txt"), -32603),
        (make_request("fs/read_text_file", path="out/hostname"), -32603),
        (make_request("fs/write_text_file", path="out/x", content="x"), -32603),
        (make_request("fs/read_text_file", path="pipe"), -32603),
        (make_request("terminal/create", command="id"), -32601),
    ],
)
def test_what_an_editor_does_not_do_is_refused(
    client: Callable[..., list[Any]], tmp_path: Path, request_: object, code: int
) -> None:
    assert client(request_)[0]["error"]["code"] == code
    assert not (tmp_path / "out.txt").exists()


def test_what_is_no_message_is_passed_over_and_parts_are_put_together(
    client: Callable[..., list[Any]],
) -> None:
    whole = json.dumps(make_request("session/request_permission", options=[])).encode() + b"\n"
    assert client(b"warning\n[1]\n", whole[:20]) == []
    assert client(whole[20:])[0]["result"] == {"outcome": {"outcome": "cancelled"}}
