"""Published agents, run offline: they see only the allowed environment variables, reach no network, leave no process,
and their tools work. Only with `pytest -m agents`: the agents are installed on first use, and need npm and node.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.compare.baseline import load_baseline
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.agents.agent_command import BASE_VARIABLES
from readfirst.observatory.targets.adapter import TargetAdapter
from readfirst.observatory.targets.agent import AgentTarget
from readfirst.observatory.targets.catalogue import baseline_path, targets
from readfirst.observatory.targets.install import install
from readfirst.observatory.targets.mapping import AgentLaunch, Target
from tests.judging import CONTRACT, SUITE, judge_scenario
from tests.live.conftest import CANARY, variables_of_ours
from tests.processes import descendants, ends_soon

pytestmark = pytest.mark.agents

AGENTS = [each for each in targets() if isinstance(each.launch, AgentLaunch)]


@pytest.fixture(scope="module", params=AGENTS, ids=lambda target: target.pinned)
def agent(request) -> Iterator[tuple[Target, AgentTarget]]:
    target = request.param
    assert isinstance(target, Target)
    assert isinstance(target.launch, AgentLaunch)
    with variables_of_ours(OPENAI_API_KEY="secret"):
        raw = AgentTarget(target, target.launch, install(target), 30)
        yield target, raw
        raw.close()


@pytest.fixture
def conversation(agent, place: WorkspacePool) -> Iterator[Conversation]:
    scenario = SUITE.scenario("gate/edit-after-read")
    with place.site(unique=True) as site:
        yield agent[1].open(site.workspace(scenario)).conversation


def test_the_agent_sees_the_variables_of_its_mapping_only(agent, conversation: Conversation) -> None:
    for process in (conversation.pid, *descendants(conversation.pid)):
        entries = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        names = {entry.partition(b"=")[0].decode() for entry in entries if entry}
        if process == conversation.pid:
            assert names == BASE_VARIABLES | set(agent[0].environment)
        assert CANARY not in names
        assert not [entry for entry in entries if b"secret" in entry]


def test_no_process_of_the_agent_has_a_network_but_loopback(conversation: Conversation) -> None:
    assert conversation.isolation == "", "this system cannot take the network away"
    for process in (conversation.pid, *descendants(conversation.pid)):
        lines = Path(f"/proc/{process}/net/dev").read_text().splitlines()
        assert [line.split(":")[0].strip() for line in lines if ":" in line] == ["lo"]


def verdict_on(agent: tuple[Target, AgentTarget], scenario_id: str, place: WorkspacePool) -> Verdict:
    return judge_scenario(scenario_id, TargetAdapter(*agent), "reason", place=place)


def test_its_own_tools_edit_a_file(agent, place: WorkspacePool) -> None:
    verdict = verdict_on(agent, "gate/edit-after-read", place)
    assert verdict.levels["reason"], verdict.differences


def test_they_refuse_a_missing_file_unless_they_are_known_not_to(agent, place: WorkspacePool) -> None:
    verdict = verdict_on(agent, "gate/order-missing-before-notebook", place)
    assert verdict.levels["reason"] or is_known_failure(agent[0], verdict.scenario_id), verdict.differences


THROWS_AWAY = {
    "gemini-cli": {"new-file-in-the-editor", "written-over-typed-text", "written-after-the-read-of-a-buffer"},
    "opencode": {"typed-before-the-read", "typed-after-the-read", "written-over-typed-text"},
    "qwen-code": {"new-file-in-the-editor", "written-over-typed-text"},
}
"""The scenarios of `unsaved-buffers` that make an agent lose unsaved text, as docs/targets.md states."""


def test_through_an_editor_it_does_what_the_page_says(agent, place: WorkspacePool) -> None:
    target, _ = agent
    if not target.launch.acp:
        pytest.skip("it speaks with no editor")
    for slug in ("typed-before-the-read", "written-over-typed-text"):
        scenario = SUITE.scenario(f"unsaved-buffers/{slug}")
        harms = harms_of(scenario, replay(scenario, TargetAdapter(*agent), place))
        assert bool(harms) == (slug in THROWS_AWAY[target.name]), harms


def is_known_failure(target: Target, scenario_id: str) -> bool:
    """Whether the failure of a scenario is accepted in the baselines of all versions of a target."""
    files = [baseline_path(replace(target, release=release)) for release in target.versions.values()]
    return all(
        (scenario_id, CONTRACT.name) in load_baseline(file, SUITE.ids(), SUITE.contracts).accepted
        for file in files
    )


def test_closing_leaves_no_process_of_the_agent(agent, conversation: Conversation) -> None:
    leader = conversation.pid
    started = descendants(leader)
    assert started
    agent[1].close()
    assert all(map(ends_soon, (leader, *started)))
