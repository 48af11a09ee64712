from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.summary import Count
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.harm.judge import judge
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.runner import Runner, RunSpec, run
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io import strict_yaml

SUITE = Suite(Path(__file__).parents[1] / "fixtures")
CONTRACT = SUITE.contracts["2.1.7"]


def load_scenario_text(text: str, *, expect: bool = True) -> Scenario:
    """Return a scenario from its text after `title` and `requirement`. `expect`: calls need an expectation."""
    document = strict_yaml.load(f"title: x\nrequirement: must\n{text}".encode(), Path("x.yaml"))
    return scenario_from(document, "family/x", SUITE.contracts, require_expect=expect)


def judge_scenario(
    scenario: Scenario | str,
    adapter: Any,
    level: Level = "text",
    *,
    harm: bool = False,
    place: WorkspacePool | None = None,
    contract: Contract = CONTRACT,
) -> Verdict:
    """Replay a scenario, or the bundled one with this id, and return the verdict. With `harm`, harm is also judged."""
    if isinstance(scenario, str):
        scenario = SUITE.scenario(scenario)
    with WorkspacePool(memory=True) if place is None else nullcontext(place) as here:
        outcome = replay(scenario, adapter, here)
    judgement = judge(scenario, outcome) if harm else None
    return compare(
        scenario,
        outcome,
        contract,
        level,
        SUITE.vocabulary,
        judgement=judgement,
        with_full_contents=SUITE.with_full_contents,
    )


def assert_unsupported(target: str, lacking: Mapping[str, str]) -> None:
    """Assert that scenarios (ids) are unsupported because of these missing capabilities, and pass at no level."""
    verdicts = [*run(SUITE, target, [CONTRACT.name], ids=[*lacking])]
    reasons = {each.scenario_id: (each.status, each.reason) for each in verdicts}
    assert reasons == {each: ("unsupported", f"the adapter lacks {name}") for each, name in lacking.items()}
    for verdict in verdicts:
        assert not any(verdict.levels.values())
        count = Count()
        count.add(verdict, BaselineResult(True))
        assert (count.unsupported, count.passed, count.judged) == (1, 0, 0)


def judge_target(target: str, *ids: str, level: Level = "text", root: Path = SUITE.root) -> list[Verdict]:
    """Return the verdicts on an implementation in scenarios of a suite."""
    with Runner(RunSpec(Suite(root), target, CONTRACT.name, level)) as runner:
        return [runner.judge(scenario_id) for scenario_id in ids]
