"""Claimed: what of a generated scenario both sides claim to support; the rest would only show that they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from readfirst.harness.session import Adapter, traits_of
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, Step, ToolCall, WorldEvent


def claimed(scenarios: Iterable[Scenario], sides: Iterable[Adapter]) -> Iterator[Scenario]:
    """Yield the scenarios without the calls that a side does not claim, unless no call is left.

    Without groups the calls of one come one after the other; without races what strikes during a call comes before
    it; without permission rules there are none.
    """
    traits = [*map(traits_of, sides)]
    capabilities = frozenset.intersection(*(each.capabilities for each in traits))

    def claims(call: ToolCall) -> bool:
        return call.tool in capabilities and not any(each.lacks(call.tool, call.arguments) for each in traits)

    for scenario in scenarios:
        steps = tuple(step for each in scenario.steps for step in _offered(each, capabilities, claims))
        if all(isinstance(step, WorldEvent) for step in steps):
            continue
        given = scenario.given if "deny" in capabilities else replace(scenario.given, deny=())
        yield replace(scenario, given=given, steps=steps)


def _offered(step: Step, capabilities: frozenset[str], claims: Callable[[ToolCall], bool]) -> Iterator[Step]:
    match step:
        case WorldEvent():
            yield step
        case ToolCall(during=during) if during and "during" not in capabilities:
            yield from during
            yield from _offered(replace(step, during=()), capabilities, claims)
        case ToolCall():
            if claims(step):
                yield step
        case ParallelCalls(calls):
            left = tuple(call for call in calls if claims(call))
            if "parallel" not in capabilities or len(left) == 1:
                yield from left
            elif left:
                yield replace(step, calls=left)
