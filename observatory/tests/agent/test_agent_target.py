"""Targets of kind `agent`: which workspaces share a process, tested with a substitute for the agent."""

import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import AdapterError, Workspace
from readfirst.observatory.targets import agent
from readfirst.observatory.targets.adapter import TargetAdapter
from readfirst.observatory.targets.agent import AgentTarget
from readfirst.observatory.targets.install import TargetEnvironment
from readfirst.observatory.targets.mapping import AgentLaunch, Target, load_target
from tests.supervision import NO_BUBBLEWRAP, without_bubblewrap

FAKE = Path(__file__).parents[3] / "tests" / "agent" / "fake_agent.py"
MAPPING = """
title: A stand-in
home: https://example.org/
kind: agent
versions: {"1.0.0": {npm: ["stand-in@1.0.0"]}}
agent:
  wire: anthropic
  command: [$PYTHON, -I, FAKE, anthropic, $URL, $PROMPT, $MODEL]
  model: some-model
  isolation: ISOLATION
  files: {$HOME/settings.json: {model: $MODEL, folder: $WS, install: $INSTALL}}
tools:
  Read: {call: Environment, arguments: {}}
  Edit: {call: Refuse, arguments: {file_path: $file_path, constant: 1}, replace_all: {flag: all}}
  Write: {call: look, arguments: {file_path: $file_path}}
  NotebookEdit: {call: Die, arguments: {}}
result:
  error: {flag: true}
  errors: {not_read: ["{any}"]}
capabilities: [Read, Edit, Write, NotebookEdit, parallel]
"""


def target(folder: Path, isolation: str) -> Target:
    file = folder / "stand-in.yaml"
    file.write_text(MAPPING.replace("FAKE", str(FAKE)).replace("ISOLATION", isolation))
    return load_target(file)


@pytest.fixture
def make(tmp_path: Path) -> Iterator:
    opened = []

    def make(isolation: str = "directory") -> TargetAdapter:
        mapping = target(tmp_path, isolation)
        assert isinstance(mapping.launch, AgentLaunch)
        raw = AgentTarget(mapping, mapping.launch, TargetEnvironment(tmp_path, sys.executable), 5.0)
        opened.append(TargetAdapter(mapping, raw))
        return opened[-1]

    yield make
    for adapter in opened:
        adapter.close()


def workspace(base: Path, name: str, **more: object) -> Workspace:
    root = base / "place" / name / "s" / "w"
    root.mkdir(parents=True)
    return Workspace(root, base / "place" / name / "h", **more)


def where(session) -> tuple[str, str]:
    seen = json.loads(session.call("Read", {"file_path": "x"}).text)
    return seen["cwd"], seen["environ"]["HOME"]


def test_calls_are_made_as_the_mapping_says_and_errors_named(make, tmp_path: Path) -> None:
    session = make().open(workspace(tmp_path, "1"))
    result = session.call("Edit", {"file_path": "a", "replace_all": True, "old_string": "x"})
    assert json.loads(result.text) == {"file_path": "a", "constant": 1, "all": True, "old_string": "x"}
    assert (result.is_error, result.error) == (True, "not_read")
    results = session.call_parallel([("Write", {"file_path": "b"}), ("Edit", {"file_path": "c"})])
    assert [result.is_error for result in results] == [False, True]
    assert [json.loads(result.text)["file_path"] for result in results] == ["b", "c"]


def test_workspaces_share_a_process_in_the_folder_of_their_site(make, tmp_path: Path) -> None:
    adapter = make()
    first = adapter.open(workspace(tmp_path, "1"))
    second = adapter.open(Workspace(tmp_path / "place/1/s/v", tmp_path))
    assert where(first) == where(second)
    assert where(first)[0] == str(tmp_path / "place" / "1")


def test_relative_paths_get_a_process_of_their_own_that_ends_with_the_scenario(make, tmp_path: Path) -> None:
    adapter = make()
    place = workspace(tmp_path, "1")
    shared, own = adapter.open(place), adapter.open(Workspace(place.root, place.home, relative=True))
    assert where(own)[0] == str(place.root)
    assert where(own)[1] != where(shared)[1]
    own.close()
    with pytest.raises(AdapterError):
        own.call("Read", {})
    assert where(shared)[0] == str(place.root.parents[1])


def test_with_isolation_process_every_workspace_has_its_own(make, tmp_path: Path) -> None:
    adapter = make("process")
    assert adapter.traits.reuses_paths
    place = workspace(tmp_path, "1")
    first = adapter.open(place)
    seen = where(first)
    first.close()
    assert where(adapter.open(place))[1] != seen[1]


def test_a_dead_process_is_replaced_for_the_next_scenario(make, tmp_path: Path) -> None:
    adapter = make()
    first = adapter.open(workspace(tmp_path, "1"))
    with pytest.raises(AdapterError, match="stand-in ended with exit code 3"):
        first.call("NotebookEdit", {})
    first.close()
    assert where(adapter.open(workspace(tmp_path, "2")))


def test_a_process_that_ended_after_its_last_answer_is_replaced_for_the_next_scenario(
    make, tmp_path: Path
) -> None:
    adapter = make()
    place = workspace(tmp_path, "1")
    session = adapter.open(place)
    seen = where(session)
    assert where(adapter.open(place)) == seen
    leader = session._raw.conversation
    os.killpg(leader.pid, signal.SIGKILL)
    leader._child.process.wait(10)
    assert where(adapter.open(place)) != seen


@pytest.mark.parametrize(
    ("limit", "most"), [("_CALLS_PER_CONVERSATION", 1), ("_BYTES_PER_CONVERSATION", 1000)]
)
def test_a_long_conversation_is_replaced(make, tmp_path: Path, monkeypatch, limit: str, most: int) -> None:
    adapter, place = make(), workspace(tmp_path, "1")
    first = adapter.open(place)
    home = where(first)[1]
    where(first)
    assert where(adapter.open(place))[1] == home
    monkeypatch.setattr(agent, limit, most)
    assert where(adapter.open(place))[1] != home


def holds_removed_file(file: Path) -> bool:
    """Whether this process still holds a removed file open, so that the system cannot reuse the file's inode."""
    links = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the listing itself
            links.append(str(descriptor.readlink()))
    return f"{file} (deleted)" in links


@pytest.mark.parametrize("made", ["before the call", "by the call"])
def test_no_later_file_can_be_taken_for_one_that_the_agent_knows(make, tmp_path: Path, made: str) -> None:
    adapter, place = make(), workspace(tmp_path, "1")
    session, file = adapter.open(place), place.root / "file"
    if made == "before the call":
        file.write_text("text")
        session.call("Write", {"file_path": "x"})
    else:
        session.call("Read", {"create": str(file)})
    file.unlink()
    assert holds_removed_file(file)
    session.close()
    assert holds_removed_file(file)
    adapter.close()
    assert not holds_removed_file(file)


def test_a_file_of_a_process_of_its_own_is_not_held(make, tmp_path: Path) -> None:
    place = workspace(tmp_path, "1", relative=True)
    session, file = make().open(place), place.root / "file"
    session.call("Read", {"create": str(file)})
    file.unlink()
    assert not holds_removed_file(file)
    session.close()


def test_a_network_that_cannot_be_taken_away_is_reported_once(
    make, tmp_path: Path, monkeypatch, caplog
) -> None:
    without_bubblewrap(monkeypatch)
    adapter = make("process")
    with caplog.at_level(logging.WARNING, logger="readfirst"):
        for name in "12":
            adapter.open(workspace(tmp_path, name)).close()
    assert [record.getMessage() for record in caplog.records] == [
        f"stand-in keeps its network: {NO_BUBBLEWRAP}; only its own settings keep it offline"
    ]
