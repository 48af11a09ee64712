"""The adapter `claude-code:<version>`: which workspaces share a process, on a stand-in for the product."""

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.agents.claude_code.adapter import ClaudeCodeAdapter, ClaudeCodeSession
from readfirst.harness.agents.claude_code.package import InstalledPackage
from readfirst.harness.session import BrokenAdapter, Workspace
from tests.supervision import NO_NAMESPACES, altered_supervisor

FAKE = Path(__file__).with_name("fake_product.py")


@pytest.fixture
def adapter(monkeypatch, tmp_path: Path) -> Iterator[ClaudeCodeAdapter]:
    def install(version: str, cache: Path | None) -> InstalledPackage:
        return InstalledPackage(version, tmp_path, (sys.executable, str(FAKE)))

    monkeypatch.setattr(claude_code, "install", install)
    adapter = ClaudeCodeAdapter("1.2.3", "some-model", time_limit=5)
    yield adapter
    adapter.close()


def workspace(base: Path, name: str, **more: object) -> Workspace:
    root = base / name / "w"
    root.mkdir(parents=True)
    return Workspace(root, base / name / "h", **more)


def opened(adapter: ClaudeCodeAdapter, place: Workspace) -> ClaudeCodeSession:
    session = adapter.open(place)
    assert isinstance(session, ClaudeCodeSession)
    return session


def test_workspaces_side_by_side_share_a_process_in_the_folder_above(adapter, tmp_path: Path) -> None:
    first, second = (opened(adapter, workspace(tmp_path, name)) for name in "12")
    assert first.conversation is second.conversation
    # What the program says of the folder above stands for each workspace's own directory.
    assert json.loads(first.call("Environment", {}).text)["cwd"] == str(tmp_path / "1" / "w")
    assert json.loads(second.call("Environment", {}).text)["cwd"] == str(tmp_path / "2" / "w")


def test_an_isolated_workspace_has_a_process_of_its_own_that_ends_with_it(adapter, tmp_path: Path) -> None:
    shared = opened(adapter, workspace(tmp_path, "1"))
    own = opened(adapter, workspace(tmp_path, "2", isolated=True, deny=("Edit(a)",)))
    assert own.conversation is not shared.conversation
    assert json.loads(own.call("Environment", {}).text)["cwd"] == str(tmp_path / "2" / "w")
    assert "Edit(a)" in own.call("Settings", {}).text
    assert "Edit(a)" not in shared.call("Settings", {}).text
    own.close()
    with pytest.raises(BrokenAdapter):
        own.call("Echo", {})
    assert shared.call("Echo", {}).text == "{}"


def test_only_races_run_with_the_hook(adapter, tmp_path: Path) -> None:
    plain = opened(adapter, workspace(tmp_path, "1"))
    race = opened(adapter, workspace(tmp_path, "2", needs=frozenset({"during"})))
    assert "PreToolUse" not in plain.call("Settings", {}).text
    assert "PreToolUse" in race.call("Settings", {}).text


def test_a_dead_process_is_replaced_for_the_next_scenario(adapter, tmp_path: Path) -> None:
    first = opened(adapter, workspace(tmp_path, "1"))
    with pytest.raises(BrokenAdapter):
        first.call("Die", {})
    second = opened(adapter, workspace(tmp_path, "2"))
    assert second.call("Echo", {}).text == "{}"


def test_a_long_conversation_is_replaced(adapter, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(claude_code, "_CALLS_PER_CONVERSATION", 1)
    first = opened(adapter, workspace(tmp_path, "1"))
    first.call("Echo", {})
    first.call("Echo", {})
    second = opened(adapter, workspace(tmp_path, "2"))
    assert second.conversation is not first.conversation


def test_a_network_that_cannot_be_taken_away_is_reported_once(
    adapter, tmp_path: Path, monkeypatch, caplog
) -> None:
    altered_supervisor(tmp_path, monkeypatch, NO_NAMESPACES)
    with caplog.at_level(logging.WARNING, logger="readfirst"):
        for name in "12":
            opened(adapter, workspace(tmp_path, name, isolated=True)).close()
    assert [record.getMessage() for record in caplog.records] == [
        "the product keeps its network: this system has no namespaces; only its own settings keep it offline"
    ]
