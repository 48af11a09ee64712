"""Portrait: what a suite shows: which pairs of conditions its calls have, and which calls show which rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.fuzz.conditions import Pair, calls_of, pairs_of
from readfirst.harness.fuzz.disagree import DONE
from readfirst.harness.suite.suite import Suite

_MISSING = 0.3
"""What a condition that only one of two calls has takes away, as a share of what one that both have adds."""


@dataclass(frozen=True, slots=True)
class Example:
    """The call with which a scenario shows its rule: the last one of a tool that the rule is about.

    `made` is what the contract makes of it: an error's name, or `done`.
    """

    scenario_id: str
    rule: str
    tool: str
    made: str
    conditions: frozenset[str]
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Portrait:
    """`pairs` counts the calls in which two conditions meet; `examples` are kept by tool and what was made of them."""

    pairs: Mapping[Pair, int]
    examples: Mapping[tuple[str, str], Sequence[Example]]

    def nearest(self, tool: str, made: str, conditions: Iterable[str], most: int) -> list[Example]:
        """Return the examples that are most like a call, the nearest first; of equal ones the first by id.

        A condition counts the more, the fewer of them have it.
        """
        pool = self.examples.get((tool, made), ())
        own = frozenset(conditions)
        common = Counter(condition for example in pool for condition in example.conditions)
        weights = {each: math.log((len(pool) + 1) / number) for each, number in common.items()}

        def likeness(example: Example) -> float:
            both = sum(weights[each] for each in example.conditions & own)
            return both - _MISSING * sum(weights.get(each, 0.0) for each in example.conditions ^ own)

        return sorted(pool, key=lambda example: (-likeness(example), example.scenario_id))[:most]


def portrait_of(suite: Suite) -> Portrait:
    """Look at every scenario of a suite, which takes about a second. Raises SuiteError."""
    pairs: Counter[Pair] = Counter()
    examples: dict[tuple[str, str], list[Example]] = {}
    rules = suite.rules
    for scenario in suite.scenarios():
        tools = rules[scenario.rule].tools if rules is not None and scenario.rule in rules else ()
        last: Example | None = None
        for _, call, conditions in calls_of(scenario):
            pairs.update(pairs_of(call.tool, conditions))
            clause = call.expect.recorded
            if call.tool in tools and clause is not None:
                made = clause.error or DONE
                last = Example(
                    scenario.id, scenario.rule, call.tool, made, frozenset(conditions), scenario.needs
                )
        if last is not None:
            examples.setdefault((last.tool, last.made), []).append(last)
    return Portrait(pairs, examples)
