"""The real product without a network. Runs only with `pytest -m live`, because it needs npm and node."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from readfirst.harness.agents.claude_code.adapter import (
    ClaudeCodeAdapter,
    ClaudeCodeSession,
    open_claude_code,
)
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.compare.transcribe import transcribe
from readfirst.harness.record.syrupy_extension import RecordingExtension
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Given, Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.agent.product_variables import VARIABLES
from tests.processes import descendants, ends_soon

from .conftest import CANARY, variables_of_ours

pytestmark = pytest.mark.live

SUITE = Suite()
CONTRACT = SUITE.contracts[SUITE.contracts.default]
SAMPLE = 40


class OwnRecordings(RecordingExtension):
    root = SUITE.recordings_root


@pytest.fixture(scope="module")
def product() -> Iterator[ClaudeCodeAdapter]:
    """The real product, in an environment with secrets and a proxy that it must not use."""
    with variables_of_ours(HTTPS_PROXY="http://192.0.2.1:9"):
        assert CONTRACT.version is not None
        adapter = open_claude_code(CONTRACT.version, SUITE, contract=CONTRACT, time_limit=30)
        yield adapter
        adapter.close()


@pytest.fixture
def session(product: ClaudeCodeAdapter, place: WorkspacePool) -> Iterator[ClaudeCodeSession]:
    nothing = Scenario("live/x", "x", "must", Given(), ())
    with place.site(unique=True) as site:
        session = product.open(site.workspace(nothing))
        assert isinstance(session, ClaudeCodeSession)
        yield session
        session.close()


def test_the_product_sees_only_allowed_variables(session: ClaudeCodeSession) -> None:
    leader = session.conversation.pid
    for process in (leader, *descendants(leader)):
        entries = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        names = {entry.partition(b"=")[0].decode() for entry in entries if entry}
        if process == leader:
            assert names == VARIABLES
        assert CANARY not in names
        assert not [entry for entry in entries if b"secret" in entry]


def test_the_product_has_only_a_loopback_network(session: ClaudeCodeSession) -> None:
    assert session.conversation.isolation == "", "this system cannot take the network away"
    lines = Path(f"/proc/{session.conversation.pid}/net/dev").read_text().splitlines()
    assert [line.split(":")[0].strip() for line in lines if ":" in line] == ["lo"]
    ours = Path("/proc/self/ns/net").readlink()
    assert Path(f"/proc/{session.conversation.pid}/ns/net").readlink() != ours


def test_closing_leaves_no_process_of_the_product(product: ClaudeCodeAdapter, place: WorkspacePool) -> None:
    scenario = next(each for each in SUITE.scenarios() if needs_own_session(each))
    with place.site(unique=True) as site:
        site.lay_out(scenario.given.files)
        session = product.open(replace(site.workspace(scenario), isolated=True))
        assert isinstance(session, ClaudeCodeSession)
        leader = session.conversation.pid
        started = descendants(leader)
        assert started
        session.close()
        assert all(map(ends_soon, (leader, *started)))


@pytest.fixture(scope="module")
def offered_scenarios() -> list[str]:
    """The ids of the scenarios whose capabilities the product has."""
    return [each.id for each in SUITE.scenarios() if each.needs <= CONTRACT.capabilities]


@pytest.mark.parametrize("number", range(SAMPLE))
def test_the_product_answers_as_recorded(
    product: ClaudeCodeAdapter,
    place: WorkspacePool,
    offered_scenarios: list[str],
    number: int,
    snapshot: SnapshotAssertion,
) -> None:
    scenario_id = offered_scenarios[number * len(offered_scenarios) // SAMPLE]
    scenario = SUITE.scenario(scenario_id)
    outcome = replay(scenario, product, place)
    assert outcome.error is None
    name = f"{scenario_id}@{CONTRACT.name}"
    transcript = transcribe(scenario, outcome, SUITE.vocabulary)
    assert transcript == snapshot(name=name, extension_class=OwnRecordings)
