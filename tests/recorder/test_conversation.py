import json
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from readfirst.harness.adapter_api import Hook, ToolResult
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.launch_options import Options, summarise
from tests.agent.product_variables import VARIABLES, WINDOW

FAKE = Path(__file__).parents[1] / "agent" / "fake_agent.py"


def options(directory: Path, **more: object) -> Options:
    command = (sys.executable, str(FAKE), "product")
    return Options(command, "some-model", ("Read", "Edit"), directory, **{"time_limit": 5.0, **more})


def read_environment(conversation: Conversation) -> dict[str, str]:
    return json.loads(conversation.call("Environment", {}).text)["environ"]  # type: ignore[no-any-return]


@pytest.fixture
def conversation(tmp_path: Path) -> Iterator[Conversation]:
    conversation = Conversation(options(tmp_path))
    yield conversation
    conversation.close()


@pytest.mark.parametrize(("summarised", "window"), [(False, {}), (True, {WINDOW: "200000"})])
def test_the_product_sees_only_allowed_variables(tmp_path, monkeypatch, summarised, window) -> None:
    """The size of the context window is set only if the conversation will be summarised."""
    for name in ("ANTHROPIC_API_KEY", "HTTPS_PROXY", "NODE_OPTIONS", "READFIRST_CANARY"):
        monkeypatch.setenv(name, "secret")
    with closing(Conversation(options(tmp_path, summarised=summarised))) as conversation:
        seen = read_environment(conversation)
    assert set(seen) - {"LC_CTYPE"} == VARIABLES | window.keys()
    assert "secret" not in seen.values()
    assert seen.get(WINDOW) == window.get(WINDOW)


def test_the_home_and_the_configuration_are_temporary_directories(conversation: Conversation) -> None:
    seen = read_environment(conversation)
    home = Path(seen["HOME"])
    assert home.is_dir()
    assert Path(seen["CLAUDE_CONFIG_DIR"]).is_relative_to(home)
    assert home != Path.home()
    conversation.close()
    assert not home.exists()


def test_a_given_home_does_not_contain_the_configuration(tmp_path: Path) -> None:
    home = tmp_path / "given"
    home.mkdir()
    with closing(Conversation(options(tmp_path, home=home))) as conversation:
        seen = read_environment(conversation)
    assert seen["HOME"] == str(home)
    assert not Path(seen["CLAUDE_CONFIG_DIR"]).is_relative_to(home)
    assert list(home.iterdir()) == []


def test_an_image_in_a_result_is_replaced_by_a_description(conversation: Conversation) -> None:
    assert conversation.call("Image", {}).text == "[image image/png 4]"


def test_a_hook_lets_a_test_change_a_file_between_validation_and_execution_of_a_call(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("before")
    with closing(Conversation(options(tmp_path, hook=True))) as conversation:
        result = conversation.call("Hooked", {"file_path": str(file)}, lambda: file.write_text("struck"))
        assert result.text == "struck"
        assert conversation.call("Hooked", {"file_path": str(file)}).text == "struck"


def test_the_hooks_of_a_scenario_are_passed_to_the_product_as_settings(tmp_path: Path) -> None:
    asked = ("PreToolUse", "Edit|Write", "exit 2"), ("PostToolUse", "*", "true"), ("PreToolUse", "Read", "1")
    with closing(Conversation(options(tmp_path, hooks=tuple(Hook(*each) for each in asked)))) as conversation:
        settings = json.loads(conversation.call("Settings", {}).text)
    first, after, second = (
        {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
        for _, matcher, command in asked
    )
    assert settings == {"hooks": {"PreToolUse": [first, second], "PostToolUse": [after]}}


@pytest.mark.parametrize("address", ["127.0.0.1", "192.0.2.1"])
def test_the_product_cannot_connect_to_addresses_outside(conversation: Conversation, address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        answer = conversation.call("Connect", {"host": address, "port": port}).text
        if conversation.isolation:
            assert answer == "connected" or address != "127.0.0.1"
        else:
            assert "refused" in answer or "unreachable" in answer


ASKED, GOES_ON = "Write a summary of the conversation.", "This goes on from a summary."


class Talk:
    """A substitute for a conversation. It has received requests with these calls and texts."""

    def __init__(self, *requests: tuple[Sequence[str], Sequence[str]]) -> None:
        self.said: list[str] = []
        self._requests = list(requests)

    @property
    def results(self) -> Mapping[str, ToolResult]:
        return {call: ToolResult("", False) for call in self._requests[0][0]}

    @property
    def notes(self) -> Sequence[str]:
        return self._requests[0][1]

    def start_call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        return "call"

    def say(self, text: str) -> None:
        self.said.append(text)
        del self._requests[0]


@pytest.mark.parametrize(
    ("talk", "times"),
    [
        (Talk(((), [GOES_ON])), 0),
        (Talk((["call"], [ASKED]), ((), [GOES_ON])), 1),
        (Talk((["earlier"], [ASKED]), (["call"], ["What was read."])), 1),
    ],
    ids=["on the side", "as the next step", "before the last result"],
)
def test_a_summary_is_sent_each_time_the_product_requests_one(talk: Talk, times: int) -> None:
    summarise(cast("Conversation", talk))
    assert len(talk.said) == times
