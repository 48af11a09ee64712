from dataclasses import replace

from readfirst.harness.adapter_traits import ServerUse
from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report.timing import Cost


def verdict(milliseconds: float, steps: int) -> Verdict:
    return Verdict("family/slug", "2.1.7", "text", "passed", {}, milliseconds=milliseconds, steps=steps)


def test_start_up_scenarios_and_steps_are_distinguished() -> None:
    times = iter([10.0, 12.5, 12.5, 14.5, 99.0])
    cost, summary = Cost(clock=lambda: next(times)), Summary()
    cost.started(verdict(500, 2))
    for each in (verdict(500, 2), verdict(700, 4)):
        cost.verdict(each)
        summary.add(each, BaselineResult(conformant=True))
    assert cost.sentence(summary) == (
        "cost: start-up 2.0 s, 1.2 s per scenario, 200 ms per step; 4.5 s in all"
    )


def test_it_says_how_many_shared_a_server_and_why() -> None:
    cost, summary = Cost(clock=lambda: 0.0), Summary()
    for server in (
        ServerUse(shared=False, why="too few to try"),
        ServerUse(shared=True, why="no session affects another"),
        ServerUse(shared=True, why="no session affects another"),
        ServerUse(shared=False, why="must be fresh"),
        ServerUse(shared=False, why="must be fresh"),
        None,
    ):
        summary.add(replace(verdict(0, 1), server=server), BaselineResult(conformant=True))
    assert cost.sentence(summary).partition(" in all; ")[2] == (
        "2 scenarios on a shared server (no session affects another); "
        "3 scenarios each on its own server (must be fresh)"
    )
