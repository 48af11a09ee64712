"""Scenarios share a server only if a trial shows that this changes no verdict."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.harness.adapter_traits import IsolationDecision, ServerUse
from readfirst.harness.adapters import server_pool
from readfirst.harness.adapters.mcp import McpAdapter, McpConnection
from readfirst.harness.adapters.server_pool import Isolation, ServerPool
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_target
from tests.processes import ends_soon

LEAKY = Path(__file__).with_name("leaky_servers.py")
READ = ToolCall("Read", {"file_path": "$WS/a.txt"})
ONE_FILE = Scenario("family/one", "A title", "must", Given(), (READ,))


class LeakyServer:
    """A server of leaky_servers.py. Shows which process each session uses."""

    def __init__(self, place: WorkspacePool, way: str, *more: str, isolation: Isolation = "auto") -> None:
        command = [sys.executable, "-S", str(LEAKY), way, *more]
        self.adapter = McpAdapter(McpConnection(command, isolation=isolation, time_limit=20))
        self.place = place

    def session(self, scenario: Scenario = ONE_FILE) -> tuple[ServerUse | None, int, Path]:
        """Open a session and make a call. Return the use of servers, the server's process id, and the workspace."""
        with self.adapter.traits.servers.site(self.place, scenario, self.adapter) as site:
            workspace = site.workspace(scenario)
            session = self.adapter.open(workspace)
            session.call("Read", {"file_path": f"{site.root}/none.txt"})
            pid = session._server.pid
            session.close()
            return self.adapter.traits.servers.use, pid, workspace.root


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the trial before the first session, instead of after a few sessions."""
    monkeypatch.setattr(server_pool, "_SESSIONS_BEFORE_PROBE", 0)


@pytest.fixture
def trial_passed(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the trial, which starts five servers, with the result that sessions can share a server."""
    found = server_pool.SharingResult()
    monkeypatch.setattr(server_pool, "probe_servers", lambda *_, **__: found)


@pytest.mark.usefixtures("at_once")
def test_sessions_share_a_server_if_they_do_not_affect_each_other(place: WorkspacePool) -> None:
    used = LeakyServer(place, "honest")
    (use, pid, _), (again, same, _) = used.session(), used.session()
    assert use == again == ServerUse(shared=True, why="no session affects another")
    assert pid == same
    used.adapter.close()


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_sessions_use_separate_servers_if_they_affect_each_other(place: WorkspacePool) -> None:
    used = LeakyServer(place, "by-name")
    (use, pid, _), (_, other, _) = used.session(), used.session()
    assert use is not None
    assert (use.shared, "after another session" in use.why) == (False, True)
    assert use.decision == IsolationDecision("process", use.why)
    latest = used.adapter.traits.servers.use
    assert latest is not None
    assert latest.seconds > 0
    assert pid != other
    used.adapter.close()


@pytest.mark.slow
def test_the_first_sessions_use_separate_servers_without_a_trial(place: WorkspacePool) -> None:
    used = LeakyServer(place, "honest")
    uses, pids, roots = zip(*(used.session() for _ in range(6)), strict=True)
    assert [use.shared for use in uses] == [False] * 4 + [True] * 2
    assert [use.why for use in uses[3:5]] == [
        "too few to test whether they can share one",
        "no session affects another",
    ]
    assert (len(set(pids)), pids[4]) == (5, pids[5])
    assert roots[4] != roots[5]
    shared = IsolationDecision("shared", "no session affects another")
    assert [use.decision for use in uses] == [None] * 4 + [shared] * 2
    used.adapter.close()


RELATIVE = Scenario(
    "family/relative", "A title", "must", Given(), (ToolCall("Read", {"file_path": "a.txt"}),)
)


@pytest.mark.usefixtures("trial_passed")
@pytest.mark.parametrize(
    ("word", "isolation", "shared", "why"),
    [
        ("$WS", "auto", False, "the command names $WS"),
        ("--home=$HOME", "auto", False, "the command names $HOME"),
        ("x", "process", False, "as asked"),
        ("x", "directory", True, "as asked, without a trial: what fails may pass alone"),
    ],
)
def test_no_trial_is_made_if_isolation_is_requested_or_the_command_names_the_workspace(
    place: WorkspacePool, word: str, isolation: Isolation, shared: bool, why: str
) -> None:
    used = LeakyServer(place, "by-name", word, isolation=isolation)
    assert [used.session()[0] for _ in range(2)] == [ServerUse(shared=shared, why=why)] * 2
    used.adapter.close()


IDS = ["gate/edit-unread", "gate/write-unread", "staleness/edit-after-change", "paths/relative-edit"]


def judge_leaky(way: str, isolation: str, ids: list[str]) -> list[Verdict]:
    target = f"mcp:--isolation={isolation} {sys.executable} -S '{LEAKY}' {way}"
    return judge_target(target, *ids)


def findings(verdicts: list[Verdict]) -> list[object]:
    """Return the parts of verdicts that must not depend on sharing."""
    return [(each.status, each.levels, each.differences) for each in verdicts]


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "way", ["honest", "anything-read", "tells-where", "ends", "restarted", "restarted-but-for-texts"]
)
def test_verdicts_on_a_leaky_server_are_the_same_as_with_separate_servers(way: str) -> None:
    assert findings(judge_leaky(way, "auto", IDS)) == findings(judge_leaky(way, "process", IDS))


RESTARTED = pytest.mark.parametrize("restarted", [False, pytest.param(True, marks=pytest.mark.slow)])
"""Whether a handshake makes the server forget the previous session."""


@pytest.mark.usefixtures("at_once")
@RESTARTED
@pytest.mark.parametrize(
    ("most", "shared", "why"),
    [
        (server_pool._MAX_DIFFERENT_SCENARIOS, [True] * 3 + [False], "these gave another result on a shared server"),
        (0, [True, True, False], "1 scenario gave another result on a shared server"),
    ],
)  # fmt: skip
def test_scenarios_with_different_results_on_a_separate_server_end_the_sharing(
    monkeypatch: pytest.MonkeyPatch, restarted: bool, most: int, shared: list[bool], why: str
) -> None:
    """With more than `most` such scenarios, which the trial does not detect, no scenario shares servers."""
    found = server_pool.SharingResult(reusable_after_handshake=restarted)
    monkeypatch.setattr(server_pool, "probe_servers", lambda *_, **__: found)
    monkeypatch.setattr(server_pool, "_MAX_DIFFERENT_SCENARIOS", most)
    ids = ["staleness/edit-after-change", "gate/edit-unread", "gate/write-unread", "gate/edit-unread"]
    verdicts = judge_leaky("anything-read", "auto", ids[: len(shared)])
    assert verdicts[1].levels["effects"]
    uses = [verdict.server for verdict in verdicts]
    assert [use is not None and use.shared for use in uses] == shared
    assert uses[-1] == ServerUse(shared=False, why=why)


class Ending:
    ended = False

    def end(self) -> None:
        self.ended = True


def pool_that_shares(tmp_path: Path) -> tuple[ServerPool, Ending]:
    pool, server = ServerPool(lambda *_: Ending(), tmp_path), Ending()
    pool._sharing = server_pool.SharingResult()
    pool._shared = server_pool._SharedServer(tmp_path, server)
    return pool, server


def test_a_shared_server_is_replaced_after_three_different_results_in_succession(tmp_path: Path) -> None:
    pool, server = pool_that_shares(tmp_path)
    ended = []
    for shares in (1, 2, 4, 5, 6, 7):
        pool._shared_sessions = shares
        pool.note_difference(f"family/{shares}")
        ended.append(server.ended)
        server.ended, pool._shared = False, server_pool._SharedServer(tmp_path, server)
    assert ended == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("status", "doubted"), [("failed", True), ("error", True), ("passed", False), ("unsupported", False)]
)
def test_a_scenario_is_repeated_on_a_separate_server_only_if_it_failed_on_a_shared_one(
    tmp_path: Path, status: str, doubted: bool
) -> None:
    pool, _ = pool_that_shares(tmp_path)
    pool.use, pool._is_separate = ServerUse(shared=True, why=""), False
    assert pool.must_repeat(status) is doubted


@pytest.mark.usefixtures("trial_passed")
def test_a_scenario_that_kills_its_server_does_not_end_the_shared_server(place: WorkspacePool) -> None:
    used = LeakyServer(place, "honest")
    write = ToolCall("Write", {"file_path": "$WS/a.txt", "content": "x"}, interrupted="killed-writing")
    _, shared, _ = used.session()
    assert replay(replace(ONE_FILE, steps=(write, READ)), used.adapter, place).error is None
    _, again, _ = used.session()
    assert shared == again
    used.adapter.close()


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("way", "again"),
    [("forgets", True), *(pytest.param(way, False, marks=pytest.mark.slow) for way in ("honest", "reminds"))],
)
def test_a_server_that_does_not_remember_files_also_serves_the_next_session(
    place: WorkspacePool, way: str, again: bool
) -> None:
    used = LeakyServer(place, way)
    (use, pid, root), (_, next_pid, next_root) = used.session(RELATIVE), used.session(RELATIVE)
    assert use is not None
    assert (use.shared, use.decision and use.decision.kind) == (
        again,
        "process" if way == "reminds" else "shared",
    )
    assert (pid == next_pid) is again
    assert root == next_root or not again
    used.adapter.close()
    assert ends_soon(pid)
    assert ends_soon(next_pid)


@pytest.mark.usefixtures("at_once")
def test_a_server_that_forgets_its_session_at_a_handshake_serves_all_sessions(place: WorkspacePool) -> None:
    used = LeakyServer(place, "restarted")
    (use, pid, root), (again, relative, _) = used.session(), used.session(RELATIVE)
    assert use == again == ServerUse(shared=True, why="a new handshake starts each session")
    assert pid == relative
    root.rmdir()
    root.mkdir()
    assert used.session(RELATIVE)[1] != pid  # its directory no longer exists
    used.adapter.close()
    assert ends_soon(pid)
