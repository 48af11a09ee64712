"""An agent with a scripted model, in each wire format, tested with a substitute that misbehaves on demand."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.agent_process import Conversation
from readfirst.observatory.agents.agent_command import BASE_VARIABLES, AgentProgram
from readfirst.observatory.agents.wires.formats import WIRES
from tests.processes import ends_soon, is_running, pid_by_namespaced_id

FAKE = Path(__file__).parents[3] / "tests" / "agent" / "fake_agent.py"


def program(directory: Path, wire: str = "openai", *flags: str, **more: object) -> AgentProgram:
    command = (sys.executable, "-I", str(FAKE), wire, "$URL", *flags)
    given = {"time_limit": 5.0, "tools": frozenset({"look"}), "directory": directory, **more}
    return AgentProgram("the stand-in", WIRES[wire], command, **given)


ONE_WIRE = [
    pytest.param(each, marks=() if each == "anthropic" else pytest.mark.slow) for each in sorted(WIRES)
]
"""Parameters for each wire format. Quick tests use only one: most behaviour does not depend on the format."""


@pytest.fixture(params=ONE_WIRE)
def conversation(request, tmp_path: Path) -> Iterator[Conversation]:
    conversation = Conversation(program(tmp_path, request.param))
    yield conversation
    conversation.close()


@pytest.mark.parametrize(
    "flags", [(), pytest.param(("--whole",), marks=pytest.mark.slow)], ids=["stream", "whole"]
)
@pytest.mark.parametrize("wire", sorted(WIRES))
def test_arguments_and_answers_cross_the_wire_unchanged(tmp_path: Path, wire: str, flags) -> None:
    odd = {
        "text": 'é\r\n\u2028\ttab "quoted" \\ {port of the model} $HOME',
        "n": -1,
        "deep": [{"a": None}, True],
    }
    with closing(Conversation(program(tmp_path, wire, *flags))) as conversation:
        assert json.loads(conversation.call("Echo", odd).text) == odd
        assert json.loads(conversation.call("Echo", {}).text) == {}


def test_a_custom_tool_gets_its_one_argument_as_it_is(tmp_path: Path) -> None:
    with closing(Conversation(program(tmp_path, "responses"))) as conversation:
        assert json.loads(conversation.call("Text", {"input": "*** Begin\n+é"}).text) == "*** Begin\n+é"
        assert json.loads(conversation.call("Text", {"a": 1, "b": 2}).text) == '{"a": 1, "b": 2}'


def test_parallel_answers_come_back_in_the_order_of_the_calls(conversation: Conversation) -> None:
    results = conversation.call_parallel([("Echo", {"n": 1}), ("Refuse", {"n": 2}), ("Echo", {"n": 3})])
    assert [json.loads(result.text)["n"] for result in results] == [1, 2, 3]


@pytest.mark.parametrize(
    ("wire", "flagged"), [("anthropic", True), ("gemini", True), ("openai", False), ("responses", False)]
)
def test_an_error_is_flagged_where_the_format_has_a_flag(tmp_path: Path, wire: str, flagged: bool) -> None:
    with closing(Conversation(program(tmp_path, wire))) as conversation:
        assert conversation.call("Refuse", {}).is_error is flagged
        assert conversation.call("Echo", {}).is_error is False


def test_a_side_request_spends_no_step(conversation: Conversation) -> None:
    assert conversation.calls == 0
    assert json.loads(conversation.call("Echo", {"n": 1}).text) == {"n": 1}
    assert conversation.calls == 1


@pytest.mark.slow
def test_an_agent_that_offers_none_of_its_tools_never_asks(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("readfirst.harness.agents.agent_process._START_TIMEOUT_S", 1.0)
    with pytest.raises(AdapterError, match="did not answer within 1 s"):
        Conversation(program(tmp_path, tools=frozenset({"unheard of"}), time_limit=1.0))


def test_a_call_without_answer_is_an_error(conversation: Conversation) -> None:
    with pytest.raises(AdapterError, match="the stand-in gave no result for 1 of 1 calls"):
        conversation.call("Forget", {})


def test_no_variable_of_this_process_reaches_the_agent(tmp_path: Path, monkeypatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "HTTPS_PROXY", "NODE_OPTIONS", "READFIRST_CANARY"):
        monkeypatch.setenv(name, "secret")
    with closing(Conversation(program(tmp_path, variables={"OWN": "$URL/v1 in $HOME"}))) as conversation:
        seen = json.loads(conversation.call("Environment", {}).text)["environ"]
    # LC_CTYPE is set by the stand-in's own interpreter.
    assert set(seen) - {"LC_CTYPE"} == BASE_VARIABLES | {"OWN"}
    assert "secret" not in seen.values()
    url, _, home = seen["OWN"].partition(" in ")
    assert url.startswith("http://127.0.0.1:")
    assert home == seen["HOME"]


def test_files_and_input_are_there_before_the_start(tmp_path: Path) -> None:
    files = {"$HOME/.config/a.json": {"url": "$URL"}, "$HOME/b.txt": "text for $NAME"}
    with closing(
        Conversation(program(tmp_path, files=files, input="typed", places={"$NAME": "it"}))
    ) as conversation:
        config = json.loads(conversation.call("File", {"path": "~/.config/a.json"}).text)
        assert config["url"].removeprefix("http://127.0.0.1:").isdigit()
        assert conversation.call("File", {"path": "~/b.txt"}).text == "text for it"
        seen = json.loads(conversation.call("Environment", {}).text)
    assert seen["input"] == "typed"
    assert seen["cwd"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_home_is_fresh_and_removed_afterwards(conversation: Conversation) -> None:
    home = Path(json.loads(conversation.call("Environment", {}).text)["environ"]["HOME"])
    assert home.is_dir()
    assert home != Path.home()
    conversation.close()
    assert not home.exists()


def test_only_loopback_exists_where_the_system_allows(conversation: Conversation) -> None:
    interfaces = json.loads(conversation.call("Interfaces", {}).text)
    assert (interfaces == ["lo"]) == (conversation.isolation == "")


def test_an_agent_that_dies_is_reported_with_its_last_words(conversation: Conversation) -> None:
    with pytest.raises(AdapterError, match="the stand-in ended with exit code 3") as caught:
        conversation.call("Die", {})
    assert caught.value.details == "last words"
    assert not conversation.is_usable
    with pytest.raises(AdapterError, match="over"):
        conversation.call("Echo", {})


@pytest.mark.parametrize(("size", "seconds"), [(0, 0.2), (20_000, 0.4)], ids=["small", "large"])
def test_an_agent_that_hangs_is_reported_in_time_and_killed(
    tmp_path: Path, size: int, seconds: float
) -> None:
    conversation = Conversation(program(tmp_path, time_limit=0.2))
    pid = conversation.pid
    with pytest.raises(AdapterError, match=re.escape(f"did not answer within {seconds} s")):
        conversation.call("Hang", {"text": "x" * size})
    conversation.close()
    assert ends_soon(pid)


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        ("Garbage", "is not JSON"),
        ("Nonsense", "not a request of the"),
        ("Lengthless", "has no content-length"),
        ("Flood", "has 1000000000000 bytes; the limit is 67108864"),
    ],
)
def test_an_agent_that_does_not_keep_the_format_is_reported(conversation, tool: str, problem: str) -> None:
    with pytest.raises(AdapterError, match=f"does not understand: .*{problem}"):
        conversation.call(tool, {})


def test_a_program_that_is_not_there_is_an_environment_failure(tmp_path: Path) -> None:
    missing = AgentProgram("it", WIRES["openai"], ("/nowhere/agent",), frozenset({"look"}), tmp_path)
    with pytest.raises(AdapterError, match="it ended with exit code 1") as caught:
        Conversation(missing)
    assert caught.value.blame == "environment"
    assert caught.value.details.endswith("/nowhere/agent: No such file or directory")


def test_closing_leaves_no_process_not_even_of_its_children(conversation: Conversation) -> None:
    child = pid_by_namespaced_id(conversation.pid, int(conversation.call("Spawn", {}).text))
    assert is_running(child)
    conversation.close()
    assert ends_soon(child)
    assert ends_soon(conversation.pid)


@pytest.mark.parametrize(
    "blow",
    [
        signal.SIGKILL,
        *(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGINT, signal.SIGTERM)),
    ],
)
def test_all_that_an_agent_started_ends_with_the_harness_however_it_ends(tmp_path: Path, blow) -> None:
    script = tmp_path / "harness_that_dies.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from readfirst.harness.agents.agent_process import Conversation\n"
        "from readfirst.observatory.agents.agent_command import AgentProgram\n"
        "from readfirst.observatory.agents.wires.formats import WIRES\n"
        f"command = (sys.executable, {str(FAKE)!r}, 'gemini', '$URL')\n"
        f"program = AgentProgram('it', WIRES['gemini'], command, frozenset(['look']), Path({str(tmp_path)!r}))\n"
        "conversation = Conversation(program)\n"
        "try:\n"
        "    print(conversation.call('Spawn', {}).text, conversation.pid, flush=True)\n"
        "    conversation.call('Hang', {})\n"
        "finally:\n"
        "    conversation.close()\n"
    )
    path = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": path},
    ) as harness:
        assert harness.stdout is not None
        number, leader = map(int, harness.stdout.readline().split())
        child = pid_by_namespaced_id(leader, number)
        assert is_running(child)
        harness.send_signal(blow)
        harness.wait(60)
    assert ends_soon(child)
    assert ends_soon(leader)
