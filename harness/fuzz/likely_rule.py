"""Likely rule: which rule a finding most probably breaks, by the scenarios of the suite that are most like it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from readfirst.harness.fuzz.campaign import Duel, Finding
from readfirst.harness.fuzz.conditions import calls_of
from readfirst.harness.fuzz.portrait import Example, Portrait
from readfirst.harness.session import BrokenAdapter, traits_of
from readfirst.harness.suite.scenario import ParallelCalls
from readfirst.harness.suite.suite import Suite

_REPLAYED, _REPLAYED_AT_LEAST = 24, 4
"""How many scenarios are replayed to see whether the two disagree on one of them, too."""
_ASKED = 5
"""Scenarios that are asked for their rule where they agree on all of these."""
_OF_WORDS = ("fidelity", "product")
"""The classes of rules that a difference in words alone can break; any other is no sign of them."""


def with_rule(
    finding: Finding,
    suite: Suite,
    portrait: Portrait,
    duel: Duel,
    is_over: Callable[[], bool] = lambda: False,
) -> Finding:
    """Return the finding with the rule that it most probably breaks, if one fits.

    The scenarios that are most like it, with the same tool and the same answer of the reference, are replayed. Those
    on which the two disagree at the same level vote for their rules, the nearer ones with more weight, and the nearest
    one of the rule is named: the suite shows the fault, too. Where they agree on all of them, those vote that are
    nearest, one rule needs more than half of the votes, and no scenario is named. When the time of the search `is_over`
    only few are replayed.
    """
    found = finding.disagreement
    rules = suite.rules
    step = finding.scenario.steps[found.step]
    place = (found.step, found.call if isinstance(step, ParallelCalls) else None)
    alike = next(
        (
            portrait.nearest(call.tool, found.cause.reference, conditions, len(portrait.pairs))
            for index, call, conditions in calls_of(finding.scenario)
            if index == place and call.tool == found.cause.tool
        ),
        [],
    )
    if rules is None:
        return finding
    if found.cause.level == "text":
        alike = [each for each in alike if rules[each.rule].class_ in _OF_WORDS]
    failing = []
    for number, example in enumerate(_replayable(alike, duel)[:_REPLAYED]):
        if number >= _REPLAYED_AT_LEAST and is_over():
            break
        if _disagree(example, finding, suite, duel):
            failing.append(example)
    if failing:
        votes = _votes(failing)
        rule = max(votes, key=lambda each: votes[each])
        shown_by = next(each.scenario_id for each in failing if each.rule == rule)
        return replace(finding, rule=rule, shown_by=shown_by)
    if found.cause.level != "text":
        alike = [each for each in alike if rules[each.rule].class_ not in _OF_WORDS]
    votes = _votes(alike[:_ASKED])
    half = sum(votes.values()) / 2
    return replace(finding, rule=next((rule for rule, weight in votes.items() if weight > half), ""))


def _replayable(examples: Sequence[Example], duel: Duel) -> list[Example]:
    capabilities = traits_of(duel.reference).capabilities & traits_of(duel.target).capabilities
    return [each for each in examples if each.needs <= capabilities]


def _disagree(example: Example, finding: Finding, suite: Suite, duel: Duel) -> bool:
    """Whether the two disagree on a scenario of the suite as they do on the finding: same tool, same level."""
    try:
        seen = duel(suite.scenario(example.scenario_id))
    except BrokenAdapter:
        return False
    cause = finding.disagreement.cause
    return seen is not None and (seen.cause.tool, seen.cause.level) == (cause.tool, cause.level)


def _votes(examples: Sequence[Example]) -> dict[str, float]:
    """Return the votes for each rule."""
    votes: dict[str, float] = defaultdict(float)
    for number, example in enumerate(examples):
        votes[example.rule] += 1 / math.sqrt(number + 1)
    return votes
