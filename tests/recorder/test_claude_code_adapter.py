import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError, Workspace
from readfirst.harness.agents import agent_process as base
from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.agents.claude_code.adapter import (
    ClaudeCodeAdapter,
    ClaudeCodeSession,
    ResumableConversation,
)
from readfirst.harness.agents.claude_code.reminders import (
    extract_file_reminders,
    remove_conversation_reminders,
)
from readfirst.harness.agents.claude_code.session import find_latest_conversation
from readfirst.harness.agents.claude_code.stream_json import JsonDialogue
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from tests.rows import rows
from tests.supervision import NO_BUBBLEWRAP, without_bubblewrap

FAKE = Path(__file__).parents[1] / "agent" / "fake_agent.py"


@pytest.fixture
def adapter(request: pytest.FixtureRequest, monkeypatch, tmp_path: Path) -> Iterator[ClaudeCodeAdapter]:
    """The adapter of a version, by default 1.0.3, with the substitute in place of the product."""

    monkeypatch.setattr(claude_code, "install", lambda _: (sys.executable, str(FAKE), "product"))
    adapter = ClaudeCodeAdapter(getattr(request, "param", "1.0.3"), "some-model", time_limit=5)
    yield adapter
    adapter.close()


def workspace(base: Path, name: str, **more: object) -> Workspace:
    root = base / name / "w"
    root.mkdir(parents=True)
    return Workspace(root, base / name / "h", **more)


def open_session(adapter: ClaudeCodeAdapter, place: Workspace) -> ClaudeCodeSession:
    session = adapter.open(place)
    assert isinstance(session, ClaudeCodeSession)
    return session


def test_neighbouring_workspaces_share_a_process(adapter, tmp_path: Path) -> None:
    first, second = (open_session(adapter, workspace(tmp_path, name)) for name in "12")
    assert first.conversation is second.conversation
    # If an answer contains the directory above the workspace, it means the directory above each workspace.
    assert json.loads(first.call("Environment", {}).text)["cwd"] == str(tmp_path / "1" / "w")
    assert json.loads(second.call("Environment", {}).text)["cwd"] == str(tmp_path / "2" / "w")


def test_a_workspace_that_needs_isolation_has_a_separate_process(adapter, tmp_path: Path) -> None:
    shared = open_session(adapter, workspace(tmp_path, "1"))
    own = open_session(adapter, workspace(tmp_path, "2", isolated=True, deny=("Edit(a)",)))
    assert own.conversation is not shared.conversation
    assert json.loads(own.call("Environment", {}).text)["cwd"] == str(tmp_path / "2" / "w")
    assert "Edit(a)" in own.call("Settings", {}).text
    assert "Edit(a)" not in shared.call("Settings", {}).text
    own.close()
    with pytest.raises(AdapterError):
        own.call("Echo", {})
    assert shared.call("Echo", {}).text == "{}"


@pytest.mark.parametrize(
    ("adapter", "alone"),
    [("1.0.57", False), ("1.0.58", True), ("2.0.76", True), ("2.1.7", False)],
    indirect=["adapter"],
)
def test_some_versions_need_a_separate_process_for_two_spellings_of_a_path(adapter, alone: bool) -> None:
    for path, is_isolated in (("$WS//a.txt", alone), ("$WS/a.txt", False)):
        calls = tuple(ToolCall("Read", {"file_path": each}) for each in ("$WS/a.txt", path))
        scenario = Scenario("family/slug", "", "must", Given(), calls)
        assert adapter.traits.needs_isolation(scenario) == is_isolated


def test_the_hook_is_used_only_for_calls_during_which_an_event_happens(adapter, tmp_path: Path) -> None:
    plain = open_session(adapter, workspace(tmp_path, "1"))
    race = open_session(adapter, workspace(tmp_path, "2", needs=frozenset({"during"})))
    assert "PreToolUse" not in plain.call("Settings", {}).text
    assert "PreToolUse" in race.call("Settings", {}).text


def test_a_dead_process_is_replaced_for_the_next_scenario(adapter, tmp_path: Path) -> None:
    first = open_session(adapter, workspace(tmp_path, "1"))
    with pytest.raises(AdapterError):
        first.call("Die", {})
    second = open_session(adapter, workspace(tmp_path, "2"))
    assert second.call("Echo", {}).text == "{}"


@pytest.mark.parametrize(
    ("module", "limit"),
    [(base, "_MAX_IDLE_S"), (claude_code, "_MAX_CONVERSATION_CALLS")],
    ids=["idle", "calls"],
)
def test_a_conversation_at_its_limit_is_replaced(adapter, tmp_path: Path, monkeypatch, module, limit) -> None:
    first = open_session(adapter, workspace(tmp_path, "1"))
    first.call("Echo", {})
    assert open_session(adapter, workspace(tmp_path, "2")).conversation is first.conversation
    monkeypatch.setattr(module, limit, 0)
    assert open_session(adapter, workspace(tmp_path, "3")).conversation is not first.conversation


def test_a_missing_network_sandbox_is_reported_once(adapter, tmp_path: Path, monkeypatch, caplog) -> None:
    without_bubblewrap(monkeypatch)
    with caplog.at_level(logging.WARNING, logger="readfirst"):
        for name in "12":
            session = open_session(adapter, workspace(tmp_path, name, isolated=True))
            assert json.loads(session.call("Interfaces", {}).text) != ["lo"]
            session.close()
    assert [record.getMessage() for record in caplog.records] == [
        f"the product keeps its network: {NO_BUBBLEWRAP}; only its own settings keep it offline"
    ]


def open_resumable(adapter: ClaudeCodeAdapter, base: Path, need: str) -> ResumableConversation:
    session = adapter.open(workspace(base, "1", isolated=True, needs=frozenset({need})))
    assert isinstance(session, ResumableConversation)
    return session


@pytest.mark.parametrize(
    ("need", "act", "message"),
    [
        ("agents", ResumableConversation.sub_agent, "offers no tool that starts a sub-agent"),
        ("compact", ResumableConversation.compact, "did not request a summary of its conversation"),
    ],
)
def test_a_missing_ability_is_reported(adapter, tmp_path: Path, need: str, act, message: str) -> None:
    session = open_resumable(adapter, tmp_path, need)
    with closing(session), pytest.raises(AdapterError, match=message):
        act(session)


def test_the_newest_conversation_of_the_main_agent_is_resumed(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="stored no conversation that could be resumed"):
        find_latest_conversation(tmp_path)
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    for age, name in enumerate(("agent-1", "later", "earlier")):
        (folder / f"{name}.jsonl").touch()
        os.utime(folder / f"{name}.jsonl", (1000 - age, 1000 - age))
    assert find_latest_conversation(tmp_path) == "later"


def test_a_rewind_keeps_the_conversation_open(adapter, tmp_path: Path) -> None:
    session = open_resumable(adapter, tmp_path, "rewind")
    message = tmp_path / "1" / "w" / "message"
    said = [message.read_text()]
    assert session.call("Echo", {}).text == "{}"
    for _ in range(2):
        session.rewind()
        assert session.call("Echo", {}).text == "{}"
        said.append(message.read_text())
    assert len(set(said)) == 3
    assert "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING" in session.call("Environment", {}).text
    session.close()


def test_a_product_without_rewind_is_reported(adapter, tmp_path: Path) -> None:
    session = open_resumable(adapter, tmp_path, "rewind")
    (tmp_path / "1" / "w" / "gone").touch()
    with pytest.raises(AdapterError, match="does not restore files at a rewind") as caught:
        session.rewind()
    assert caught.value.blame == "environment"
    assert "canRewind" in caught.value.details
    session.close()


def test_a_missing_answer_to_a_rewind_is_reported(tmp_path: Path) -> None:
    dialogue = JsonDialogue(tmp_path)
    dialogue.hear(b'{"type": "result"}\n{"type": "user"}\n')
    with pytest.raises(AdapterError, match="does not restore files at a rewind"):
        dialogue.rewind(0.01)
    dialogue.hang_up()
    dialogue.hang_up()


def test_a_reminder_that_arrives_in_several_texts_is_joined() -> None:
    reminder = "Note: /w/a.txt was modified, either by the user or by a linter. Lines:"
    notes = [f"<system-reminder>\n{reminder}", "(no content)", "</system-reminder>"]
    assert extract_file_reminders("Done.", notes) == ("Done.", (f"{reminder}\n\n(no content)",))


def test_a_reminder_that_lists_agents_is_removed_from_a_result() -> None:
    reminder = "\n\n<system-reminder>\nAvailable agent types for the Agent tool:\n- one\n</system-reminder>"
    assert remove_conversation_reminders(f"1\talpha\n2{reminder}") == ("1\talpha\n2\t", False)
    assert remove_conversation_reminders(f"Done.{reminder}") == ("Done.", False)


PAD = " " * 5


@rows(
    ("cut", "restored", "padded"),
    [
        ("1→alpha", f"{PAD}1→alpha", False),
        ("-1→alpha\n     0→beta", f"    -1→alpha\n{PAD}0→beta", False),
        ("9\talpha\n    10\tbeta", f"{PAD}9\talpha\n    10\tbeta", False),
        ("3\t\n     4", f"{PAD}3\t\n{PAD}4", False),
        ("3\t\n     4\n\n<system-reminder>\nNote", f"{PAD}3\t\n{PAD}4\n\n<system-reminder>\nNote", False),
        ("1\talpha\n2\tbeta", "1\talpha\n2\tbeta", False),
        ("12 files", "12 files", False),
        ("3\talpha", f"{PAD}3\talpha", True),
        ("0\n\n<system-reminder>\nNote", f"{PAD}0\n\n<system-reminder>\nNote", True),
        ("     3\talpha", f"{PAD}3\talpha", True),
        ("12 files", "12 files", True),
    ],
)
def test_the_padding_of_the_first_line_number_is_restored(cut: str, restored: str, padded: bool) -> None:
    """`padded`: the version pads line numbers, so that even a single line is restored."""
    assert remove_conversation_reminders(cut, padded=padded) == (restored, False)
